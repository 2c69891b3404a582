package people_test

import (
	"context"
	"sync"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// leave takes a user out of every org unit, or out of all but the given ones.
func leave(t *testing.T, store *db.Store, scope db.Scope, id ids.ID, stays ...string) error {
	t.Helper()
	stays = append([]string{}, stays...)
	_, err := updateUser(t, store, scope, id, people.UserPatch{OrgUnits: &stays})
	return err
}

func newOrgUnit(t *testing.T, store *db.Store, scope db.Scope, slug string) people.OrgUnit {
	t.Helper()
	made, err := in(t, store, scope, func(ctx context.Context, tx *db.Tx) (people.OrgUnit, error) {
		return people.CreateOrgUnit(ctx, tx, people.OrgUnitInput{Slug: slug, Name: slug})
	})
	want(t, err, "")
	return made
}

func TestTheLastTenantAdminStaysInAnOrgUnit(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	other := newOrgUnit(t, store, scope, "other")
	role := systemRole(t, store, scope, capability.TenantAdmin)
	one := newUser(t, store, scope, capability.TenantAdmin)
	want(t, leave(t, store, scope, one.ID), errs.LastTenantAdmin)
	want(t, leave(t, store, scope, one.ID, "other"), "")
	want(t, leave(t, store, scope, one.ID), errs.LastTenantAdmin)
	narrow := scope
	narrow.All, narrow.OrgUnit = false, other.ID
	want(t, leave(t, store, narrow, one.ID), errs.LastTenantAdmin)
	if got := getUser(t, store, scope, one.ID).OrgUnits; len(got) != 1 {
		t.Fatalf("the admin belongs to %v, want one org unit", got)
	}
	two := newUser(t, store, scope, capability.TenantAdmin)
	want(t, leave(t, store, scope, one.ID), "")
	// An admin without an org unit cannot sign in, and so is none.
	want(t, revoke(t, store, scope, two.ID, role), errs.LastTenantAdmin)
	want(t, deactivate(t, store, scope, two.ID), errs.LastTenantAdmin)
	want(t, leave(t, store, scope, two.ID), errs.LastTenantAdmin)
	want(t, revoke(t, store, scope, one.ID, role), "")
	want(t, grant(t, store, scope, one.ID, role), "")
	want(t, leave(t, store, scope, one.ID, "other"), "")
	want(t, revoke(t, store, scope, two.ID, role), "")
}

// An import completes users and takes nothing from them, even if its rows leave something out.
func TestAnImportLeavesTheLastTenantAdminAsTheyAre(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	newOrgUnit(t, store, scope, "other")
	one := newUser(t, store, scope, capability.TenantAdmin)
	_, err := upsert(t, store, scope, people.UserInput{Email: one.Email, OrgUnits: []string{"other"}, Roles: []string{capability.Candidate}})
	want(t, err, "")
	got := getUser(t, store, scope, one.ID)
	if len(got.OrgUnits) != 2 || len(got.Roles) != 2 || got.Status != "active" {
		t.Fatalf("after the import: %+v", got)
	}
}

// Two ways at once to lose an admin: however they meet, one admin stays.
func TestWhateverHappensAtOnceAnAdminStays(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	ways := map[string]func(scope db.Scope, user, role ids.ID) error{
		"revoke":     func(scope db.Scope, user, role ids.ID) error { return revoke(t, store, scope, user, role) },
		"deactivate": func(scope db.Scope, user, _ ids.ID) error { return deactivate(t, store, scope, user) },
		"leave":      func(scope db.Scope, user, _ ids.ID) error { return leave(t, store, scope, user) },
	}
	for name, other := range ways {
		t.Run("leave beside "+name, func(t *testing.T) {
			t.Parallel()
			scope := sample.Tenant(t, store)
			role := systemRole(t, store, scope, capability.TenantAdmin)
			for range 10 {
				one, two := newUser(t, store, scope, capability.TenantAdmin), newUser(t, store, scope, capability.TenantAdmin)
				var first, second error
				var wg sync.WaitGroup
				wg.Go(func() { first = ways["leave"](scope, one.ID, role) })
				wg.Go(func() { second = other(scope, two.ID, role) })
				wg.Wait()
				if (first == nil) == (second == nil) {
					t.Fatalf("leaving ended with %v, the other with %v, want exactly one to succeed", first, second)
				}
				dropAdmins(t, store, scope, role)
			}
		})
	}
}

// A user who leaves while they are made the only other admin: the grant waits, and the
// admin of before stays, because the new one cannot sign in.
func TestAGrantWaitsForWhoeverIsLeaving(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	role := systemRole(t, store, scope, capability.TenantAdmin)
	one, two := newUser(t, store, scope, capability.TenantAdmin), newUser(t, store, scope)
	done := make(chan error, 1)
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		_, err := people.UpdateUser(t.Context(), tx, two.ID, people.UserPatch{OrgUnits: &[]string{}})
		if err != nil {
			return err
		}
		go func() { done <- grant(t, store, scope, two.ID, role) }()
		sample.AwaitBlocked(t, tx)
		return nil
	})
	want(t, <-done, "")
	want(t, revoke(t, store, scope, one.ID, role), errs.LastTenantAdmin)
}

// Nobody signs in without an org unit, so leading the mightier out is locking them out.
func TestNobodyLeadsTheMightierOut(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	newOrgUnit(t, store, scope, "other")
	author := newUser(t, store, scope, capability.Author)
	manager := sample.As(scope, ids.New(), capability.UsersManage, capability.ScopeAll)
	want(t, leave(t, store, manager, author.ID), errs.Forbidden)
	want(t, leave(t, store, manager, author.ID, "other"), "")
	want(t, leave(t, store, manager, newUser(t, store, scope).ID), "")
}
