package cli

import (
	"context"
	"errors"
	"strings"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// read runs an operation in a read-only transaction of the call's scope.
func read[T any](ctx context.Context, s *Shell, do func(*db.Tx) (T, error)) (T, error) {
	return readBy(ctx, s, (*db.Store).Read, do)
}

// rehearse runs a write and rolls it back.
func rehearse[T any](ctx context.Context, s *Shell, do func(*db.Tx) (T, error)) (T, error) {
	return readBy(ctx, s, (*db.Store).DryRun, do)
}

// report is read at one snapshot, on the replica for reports where there is one.
func report[T any](ctx context.Context, s *Shell, do func(*db.Tx) (T, error)) (T, error) {
	return readBy(ctx, s, (*db.Store).Report, do)
}

type reader func(*db.Store, context.Context, db.Scope, func(*db.Tx) error) error

func readBy[T any](ctx context.Context, s *Shell, by reader, do func(*db.Tx) (T, error)) (T, error) {
	var result T
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return result, err
	}
	err = by(store, ctx, scope, func(tx *db.Tx) error {
		var err error
		result, err = do(tx)
		return err
	})
	return result, err
}

// scoped opens the database and resolves --tenant with --org or --all-orgs.
func (s *Shell) scoped(ctx context.Context) (*db.Store, db.Scope, error) {
	scope := db.Scope{All: s.AllOrgs}
	if s.Tenant == "" {
		return nil, scope, Usage("say which tenant: --tenant SLUG (or ASSESS_TENANT)")
	}
	if s.Org == "" && !s.AllOrgs {
		return nil, scope, Usage("say which org unit: --org SLUG (or ASSESS_ORG), or --all-orgs for every one of the tenant")
	}
	store, err := s.Store(ctx)
	if err != nil {
		return nil, scope, err
	}
	scope.Tenant, err = people.FindTenant(ctx, store, s.Tenant)
	if err != nil {
		return store, scope, unknown("tenant", s.Tenant, err)
	}
	scope.Actor, err = s.actorIn(ctx, store, scope.Tenant)
	if err != nil || s.Org == "" {
		return store, scope, err
	}
	err = store.Read(ctx, scope, func(tx *db.Tx) error {
		unit, err := people.FindOrgUnit(ctx, tx, s.Org)
		scope.OrgUnit = unit.ID
		return err
	})
	return store, scope, unknown("org unit", s.Org, err)
}

// operator is the actor for work on records of no tenant, or of a new one, where no address can be looked up.
func (s *Shell) operator() (db.Actor, error) {
	if strings.Contains(s.Actor, "@") {
		return db.Actor{}, Usage("--actor: here a login is needed, because an address is looked up in a tenant that is there")
	}
	return db.Operator(s.Actor)
}

// actorIn is who works in a tenant: an address is looked up, so that the ledger has an id in its place. It stays an
// operator, since nobody has signed in.
func (s *Shell) actorIn(ctx context.Context, store *db.Store, tenant ids.ID) (db.Actor, error) {
	if !strings.Contains(s.Actor, "@") {
		return s.operator()
	}
	var id ids.ID
	err := store.Read(ctx, db.System(tenant, "actor"), func(tx *db.Tx) error {
		var err error
		id, err = findUserID(ctx, tx, s.Actor)
		return err
	})
	if errors.Is(err, errs.NotFound) {
		return db.Actor{}, Usage("--actor: the tenant has nobody with this address")
	}
	if err != nil {
		return db.Actor{}, err
	}
	return db.Operator(id.String())
}
