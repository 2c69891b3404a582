package cli

import (
	"context"
	"errors"
	"time"

	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
	"assess/pkg/report/projection"
	"assess/pkg/surface/demo"
)

// demoHost is the tenant of a demonstration and its administrator.
type demoHost struct {
	store     *db.Store
	scope     db.Scope
	authority *access.Authority
	admin     ids.ID
	slug      string
}

const demoAdmin = "admin@" + demo.EmailDomain

// hostDemo finds the tenant, the org unit and the administrator, or makes them.
func (s *Shell) hostDemo(ctx context.Context) (*demoHost, error) {
	if s.Tenant == "" {
		s.Tenant = "demo"
	}
	store, err := s.Store(ctx)
	if err != nil {
		return nil, err
	}
	auth, err := s.auth()
	if err != nil {
		return nil, err
	}
	h := &demoHost{store: store, slug: s.Tenant, authority: access.NewAuthority(store, auth),
		scope: db.Scope{All: true}}
	h.scope.Tenant, err = people.FindTenant(ctx, store, s.Tenant)
	isNew := errors.Is(err, errs.NotFound)
	if isNew {
		h.scope.Tenant = ids.New()
		h.scope.Actor, err = s.operator()
	} else if err == nil {
		h.scope.Actor, err = s.actorIn(ctx, store, h.scope.Tenant)
	}
	if err != nil {
		return nil, err
	}
	return h, store.Write(ctx, h.scope, func(tx *db.Tx) error { return h.furnish(ctx, tx, isNew) })
}

func (h *demoHost) furnish(ctx context.Context, tx *db.Tx, isNew bool) error {
	if isNew {
		_, err := people.CreateTenant(ctx, tx, people.TenantInput{Slug: h.slug, Name: "Demonstration"})
		if err != nil {
			return err
		}
	}
	unit, err := people.FindOrgUnit(ctx, tx, "main")
	if errors.Is(err, errs.NotFound) {
		unit, err = people.CreateOrgUnit(ctx, tx, people.OrgUnitInput{Slug: "main", Name: "Main"})
	}
	if err != nil {
		return err
	}
	h.scope.OrgUnit = unit.ID
	admin, err := people.UserByEmail(ctx, tx, demoAdmin)
	if errors.Is(err, errs.NotFound) {
		admin, err = people.CreateUser(ctx, tx, people.UserInput{Email: demoAdmin, Name: "Demo Administrator",
			OrgUnits: []string{unit.Slug}, Roles: []string{capability.TenantAdmin}})
	}
	h.admin = admin.ID
	return err
}

func (h *demoHost) token(ctx context.Context) (string, error) { return h.tokenOf(ctx, h.admin) }

func (h *demoHost) tokenOf(ctx context.Context, user ids.ID) (string, error) {
	var token access.Token
	err := h.store.Write(ctx, h.scope, func(tx *db.Tx) error {
		var err error
		token, err = h.authority.IssueToken(ctx, tx, user, h.scope.OrgUnit)
		return err
	})
	return token.Token, err
}

func (h *demoHost) candidateToken(ctx context.Context, userID string) (string, error) {
	user, err := ids.Parse("userId", userID)
	if err != nil {
		return "", err
	}
	return h.tokenOf(ctx, user)
}

// rewind lets a session have begun as long ago as the person took for it, since the demonstration answers at once.
func (h *demoHost) rewind(ctx context.Context, sessionID string, took time.Duration) error {
	id, err := ids.Parse("session", sessionID)
	if err != nil {
		return err
	}
	return h.store.Write(ctx, h.scope, func(tx *db.Tx) error { return session.Rewind(ctx, tx, id, took) })
}

func (h *demoHost) proof(ctx context.Context) (string, error) {
	var proof access.Proof
	err := h.store.Write(ctx, h.scope, func(tx *db.Tx) error {
		var err error
		proof, err = h.authority.IssueProof(ctx, tx, h.admin, access.ByOperator)
		return err
	})
	return proof.ID.String(), err
}

// settle waits for the projector of assessd, then brings the percentiles up to date.
func (h *demoHost) settle(ctx context.Context) error {
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		var waiting int64
		err := h.store.Read(ctx, h.scope, func(tx *db.Tx) error {
			status, err := projection.Status(ctx, tx)
			waiting = status.Waiting
			return err
		})
		if err != nil {
			return err
		}
		if waiting == 0 {
			_, err := projection.RecomputeAll(ctx, h.store, h.scope.Tenant)
			return err
		}
		if time.Now().After(end) {
			return errs.New(errs.Conflict, "The projector does not keep up: %s left. Does assessd run with projector.enabled?", plural.Of(waiting, "record"))
		}
	}
}
