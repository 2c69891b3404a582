package access_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"assess/config"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

// house is a tenant with one user, and the authority that lets people in.
type house struct {
	store     *db.Store
	scope     db.Scope
	slug      string
	user      people.User
	authority *access.Authority
	mails     string
}

func newHouse(t *testing.T, roles ...string) *house {
	t.Helper()
	return furnish(t, sample.Store(t), roles...)
}

func furnish(t *testing.T, store *db.Store, roles ...string) *house {
	t.Helper()
	h := &house{store: store, mails: t.TempDir()}
	h.scope = sample.Tenant(t, h.store)
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		err := tx.QueryRow(t.Context(), "select slug from tenants where id = $1", tx.Tenant()).Scan(&h.slug)
		if err != nil {
			return err
		}
		h.user, err = people.CreateUser(t.Context(), tx, people.UserInput{Email: ids.New().String() + "@example.org",
			Name: "Ada", OrgUnits: []string{"main"}, Roles: roles})
		return err
	})
	h.authority = h.process(t)
	return h
}

func options() config.Auth {
	o := sample.Auth()
	o.LoginPerEmail, o.LoginPerAddress = 1000, 1000
	return o
}

// process makes an authority as another assessd would have it, following changes.
func (h *house) process(t *testing.T) *access.Authority {
	t.Helper()
	a := access.NewAuthority(h.store, options())
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var done sync.WaitGroup
	done.Go(func() { a.Follow(ctx, slog.New(slog.DiscardHandler)) })
	t.Cleanup(func() { stop(); done.Wait() })
	return a
}

func (h *house) token(t *testing.T) string {
	t.Helper()
	var token access.Token
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		var err error
		token, err = h.authority.IssueToken(t.Context(), tx, h.user.ID, ids.None)
		return err
	})
	return token.Token
}
