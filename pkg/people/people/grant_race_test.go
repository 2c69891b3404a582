package people_test

import (
	"context"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// Somebody who gives a role while it is being changed waits for the change, and gives it
// only if they still may.
func TestGrantsWaitForTheChangeOfTheRole(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	lesser := sample.As(scope, ids.New(), capability.UsersManage, capability.UsersImport, capability.UsersRead, capability.GroupsView)
	grants := map[string]func(ctx context.Context, tx *db.Tx, role people.Role) error{
		"create": func(ctx context.Context, tx *db.Tx, role people.Role) error {
			_, err := people.CreateUser(ctx, tx, people.UserInput{Email: ids.New().String() + "@x.example", Roles: []string{role.Name}})
			return err
		},
		"import": func(ctx context.Context, tx *db.Tx, role people.Role) error {
			_, err := people.UpsertUsers(ctx, tx, []people.UserInput{{Email: ids.New().String() + "@x.example", Roles: []string{role.ID.String()}}})
			return err
		},
		"grant": func(ctx context.Context, tx *db.Tx, role people.Role) error {
			user, err := people.CreateUser(ctx, tx, people.UserInput{Email: ids.New().String() + "@x.example"})
			if err != nil {
				return err
			}
			_, err = people.GrantRole(ctx, tx, user.ID, role.ID)
			return err
		},
	}
	changes := map[string]struct {
		do   func(ctx context.Context, tx *db.Tx, role people.Role) error
		want map[string]errs.Code
	}{
		"grows": {func(ctx context.Context, tx *db.Tx, role people.Role) error {
			_, err := people.UpdateRole(ctx, tx, role.ID, people.RolePatch{Capabilities: &[]capability.Capability{capability.GroupsView, capability.RolesManage}})
			return err
		}, map[string]errs.Code{"create": errs.ValidationFailed, "import": errs.ValidationFailed, "grant": errs.Forbidden}},
		"goes": {func(ctx context.Context, tx *db.Tx, role people.Role) error {
			return people.DeleteRole(ctx, tx, role.ID)
		}, map[string]errs.Code{"create": errs.ValidationFailed, "import": errs.ValidationFailed, "grant": errs.NotFound}},
	}
	for what, change := range changes {
		for how, give := range grants {
			t.Run(how+" a role that "+what, func(t *testing.T) {
				role := newRole(t, store, scope, ids.New().String())
				done := make(chan error, 1)
				sample.Write(t, store, scope, func(tx *db.Tx) error {
					err := change.do(t.Context(), tx, role)
					if err != nil {
						return err
					}
					go func() {
						done <- store.Write(t.Context(), lesser, func(tx *db.Tx) error { return give(t.Context(), tx, role) })
					}()
					sample.AwaitBlocked(t, tx)
					return nil
				})
				want(t, <-done, change.want[how])
			})
		}
	}
}

func newRole(t *testing.T, store *db.Store, scope db.Scope, name string) people.Role {
	t.Helper()
	var role people.Role
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		var err error
		role, err = people.CreateRole(t.Context(), tx, people.RoleInput{Name: name, Capabilities: []capability.Capability{capability.GroupsView}})
		return err
	})
	return role
}
