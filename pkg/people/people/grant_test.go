package people_test

import (
	"sync"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func grant(t *testing.T, store *db.Store, scope db.Scope, user, role ids.ID) error {
	t.Helper()
	return store.Write(t.Context(), scope, func(tx *db.Tx) error {
		_, err := people.GrantRole(t.Context(), tx, user, role)
		return err
	})
}

func revoke(t *testing.T, store *db.Store, scope db.Scope, user, role ids.ID) error {
	t.Helper()
	return store.Write(t.Context(), scope, func(tx *db.Tx) error { return people.RevokeRole(t.Context(), tx, user, role) })
}

func newUser(t *testing.T, store *db.Store, scope db.Scope, roles ...string) people.User {
	t.Helper()
	var user people.User
	sample.Write(t, store, scope, func(tx *db.Tx) error { user = sample.User(t, tx, roles...); return nil })
	return user
}

func TestNobodyGrantsBeyondTheirOwn(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	user := newUser(t, store, scope)
	manager := sample.As(scope, ids.New(), capability.UsersManage, capability.SessionsTake, capability.GroupsJoin)
	candidate, author := systemRole(t, store, scope, "candidate"), systemRole(t, store, scope, "author")
	want(t, grant(t, store, manager, user.ID, author), errs.Forbidden)
	want(t, grant(t, store, sample.As(scope, ids.New(), capability.SessionsTake), user.ID, candidate), errs.Forbidden)
	want(t, grant(t, store, manager, user.ID, candidate), "")
	want(t, grant(t, store, scope, user.ID, author), "")
	want(t, revoke(t, store, manager, user.ID, author), errs.Forbidden)
	want(t, revoke(t, store, manager, user.ID, candidate), "")
	_, err := create(t, store, manager, people.UserInput{Email: "x@x.example", Roles: []string{"author"}})
	want(t, err, errs.ValidationFailed)
	importer := sample.As(scope, ids.New(), capability.UsersManage, capability.UsersImport)
	err = store.Write(t.Context(), importer, func(tx *db.Tx) error {
		_, err := people.UpsertUsers(t.Context(), tx, []people.UserInput{{Email: user.Email, Roles: []string{"Tenant Admin"}}})
		return err
	})
	want(t, err, errs.ValidationFailed)
}

func TestGrantAndRevokeWhatDoesNotExist(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope, other := sample.Tenant(t, store), sample.Tenant(t, store)
	user, role := newUser(t, store, scope), systemRole(t, store, scope, "candidate")
	want(t, grant(t, store, scope, ids.New(), role), errs.NotFound)
	want(t, grant(t, store, scope, user.ID, ids.New()), errs.NotFound)
	want(t, grant(t, store, other, user.ID, role), errs.NotFound)
	want(t, revoke(t, store, other, user.ID, role), errs.NotFound)
	want(t, revoke(t, store, scope, user.ID, role), errs.NotFound)
	want(t, grant(t, store, scope, user.ID, role), "")
	want(t, grant(t, store, scope, user.ID, role), "")
	want(t, revoke(t, store, scope, user.ID, role), "")
	want(t, revoke(t, store, scope, user.ID, role), errs.NotFound)
}

func TestLastTenantAdminStays(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	role := systemRole(t, store, scope, capability.TenantAdmin)
	one := newUser(t, store, scope, capability.TenantAdmin)
	want(t, revoke(t, store, scope, one.ID, role), errs.LastTenantAdmin)
	gone := newUser(t, store, scope, capability.TenantAdmin)
	sample.ChangeAccess(t, store, scope, "update users set status = 'deactivated' where tenant_id = $1 and id = $2", gone.ID)
	want(t, revoke(t, store, scope, one.ID, role), errs.LastTenantAdmin)
	want(t, revoke(t, store, scope, gone.ID, role), "")
	newUser(t, store, scope, capability.TenantAdmin)
	want(t, revoke(t, store, scope, one.ID, role), "")
}

func TestTwoRevocationsAtOnceLeaveOneAdmin(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	role := systemRole(t, store, scope, capability.TenantAdmin)
	for range 10 {
		admins := []ids.ID{newUser(t, store, scope, capability.TenantAdmin).ID, newUser(t, store, scope, capability.TenantAdmin).ID}
		results := make([]error, 2)
		var wg sync.WaitGroup
		for i := range admins {
			wg.Go(func() { results[i] = revoke(t, store, scope, admins[i], role) })
		}
		wg.Wait()
		if (results[0] == nil) == (results[1] == nil) {
			t.Fatalf("revocations ended with %v and %v, want exactly one to succeed", results[0], results[1])
		}
		for i, err := range results {
			if err != nil {
				want(t, err, errs.LastTenantAdmin)
				newUser(t, store, scope, capability.TenantAdmin)
				want(t, revoke(t, store, scope, admins[i], role), "")
			}
		}
		dropAdmins(t, store, scope, role)
	}
}

// dropAdmins starts the next round from none.
func dropAdmins(t *testing.T, store *db.Store, scope db.Scope, role ids.ID) {
	t.Helper()
	sample.ChangeAccess(t, store, scope, "delete from user_roles where tenant_id = $1 and role_id = $2", role)
}
