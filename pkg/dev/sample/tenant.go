package sample

import (
	"fmt"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// Store opens the database that the tests of a package share.
func Store(t testing.TB) *db.Store {
	t.Helper()
	store, err := db.Open(t.Context(), db.Options{URL: dbtest.Clone(t).App, MaxConns: 8, KeySecret: KeySecret, BaseURL: BaseURL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

// Tenant makes a tenant with its system roles and one org unit, "main", and gives the
// scope of an operator who works there and reaches every org unit.
func Tenant(t testing.TB, store *db.Store) db.Scope {
	t.Helper()
	scope := db.Scope{Tenant: ids.New(), All: true, Actor: db.Actor{Kind: db.OperatorActor, Name: "sample"}}
	Write(t, store, scope, func(tx *db.Tx) error {
		_, err := people.CreateTenant(t.Context(), tx, people.TenantInput{Slug: word("t"), Name: "Sample"})
		if err != nil {
			return err
		}
		scope.OrgUnit = OrgUnit(t, tx, "main").ID
		return nil
	})
	return scope
}

// OrgUnit makes an org unit.
func OrgUnit(t testing.TB, tx *db.Tx, slug string) people.OrgUnit {
	t.Helper()
	unit, err := people.CreateOrgUnit(t.Context(), tx, people.OrgUnitInput{Slug: slug, Name: "Org unit " + slug})
	if err != nil {
		t.Fatal(err)
	}
	return unit
}

// As gives the scope of a user of scope's tenant and org unit who holds exactly these
// capabilities. It reaches other org units only with scope.all.
func As(scope db.Scope, user ids.ID, holds ...capability.Capability) db.Scope {
	scope.Actor = db.Actor{Kind: db.UserActor, ID: user}
	scope.Capabilities = capability.NewSet(holds...)
	scope.All = scope.Capabilities.Has(capability.ScopeAll)
	return scope
}

// Write runs fn in a transaction that must succeed.
func Write(t testing.TB, store *db.Store, scope db.Scope, fn func(*db.Tx) error) {
	t.Helper()
	err := store.Write(t.Context(), scope, fn)
	if err != nil {
		t.Fatal(err)
	}
}

// ChangeAccess runs a statement that changes who may do what, as the operations announce it. $1 is the tenant.
func ChangeAccess(t testing.TB, store *db.Store, scope db.Scope, sql string, args ...any) {
	t.Helper()
	Write(t, store, scope, func(tx *db.Tx) error {
		err := tx.AnnounceAccess(t.Context())
		if err == nil {
			_, err = tx.Exec(t.Context(), sql, append([]any{tx.Tenant()}, args...)...)
		}
		return err
	})
}

// word makes a slug that no other test has.
func word(prefix string) string { return fmt.Sprintf("%s-%s", prefix, ids.New()) }
