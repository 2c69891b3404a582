package people_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func createRole(t *testing.T, store *db.Store, scope db.Scope, in people.RoleInput) (people.Role, error) {
	t.Helper()
	var role people.Role
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		var err error
		role, err = people.CreateRole(t.Context(), tx, in)
		return err
	})
	return role, err
}

func updateRole(t *testing.T, store *db.Store, scope db.Scope, id ids.ID, patch people.RolePatch) (people.Role, error) {
	t.Helper()
	var role people.Role
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		var err error
		role, err = people.UpdateRole(t.Context(), tx, id, patch)
		return err
	})
	return role, err
}

// systemRole finds a system role by its key.
func systemRole(t *testing.T, store *db.Store, scope db.Scope, key string) ids.ID {
	t.Helper()
	var id ids.ID
	err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
		roles, err := people.ListRoles(t.Context(), tx, db.Page{Limit: 100})
		for _, r := range roles.Items {
			if r.SystemKey == key {
				id = r.ID
			}
		}
		return err
	})
	want(t, err, "")
	return id
}

func TestRoleLifecycle(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	role, err := createRole(t, store, scope, people.RoleInput{Name: " Trainer ",
		Capabilities: []capability.Capability{capability.SessionsTake, capability.QuestionsRead, capability.QuestionsRead}})
	want(t, err, "")
	if diff := cmp.Diff([]capability.Capability{"questions.read", "sessions.take"}, role.Capabilities); diff != "" || role.Name != "Trainer" {
		t.Errorf("role %q, capabilities (-want +got):\n%s", role.Name, diff)
	}
	_, err = createRole(t, store, scope, people.RoleInput{Name: "TRAINER"})
	want(t, err, errs.DuplicateName)
	role, err = updateRole(t, store, scope, role.ID, people.RolePatch{Capabilities: &[]capability.Capability{"questions.read", "users.read"}, UpdatedAt: &role.UpdatedAt})
	want(t, err, "")
	if diff := cmp.Diff([]capability.Capability{"questions.read", "users.read"}, role.Capabilities); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
	remove := func() error {
		return store.Write(t.Context(), scope, func(tx *db.Tx) error { return people.DeleteRole(t.Context(), tx, role.ID) })
	}
	want(t, remove(), "")
	want(t, remove(), errs.NotFound)
}

func TestStaleRoleUpdateSaysWhenItChanged(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	role, err := createRole(t, store, scope, people.RoleInput{Name: "R"})
	want(t, err, "")
	old := role.UpdatedAt.Add(-time.Millisecond)
	_, err = updateRole(t, store, scope, role.ID, people.RolePatch{UpdatedAt: &old})
	want(t, err, errs.StaleUpdate)
	if got := errs.Of(err).Details["updatedAt"]; got != role.UpdatedAt.Format("2006-01-02T15:04:05.000Z07:00") {
		t.Errorf("details.updatedAt = %v, want %v", got, role.UpdatedAt)
	}
}

// Somebody who holds less than a role may rename it, but neither add to it nor take from it
// what they do not hold.
func TestWhoChangesARoleHoldsWhatChanges(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	role, err := createRole(t, store, scope, people.RoleInput{Name: "R", Capabilities: []capability.Capability{"groups.view", "users.read"}})
	want(t, err, "")
	lesser := sample.As(scope, ids.New(), capability.RolesManage, capability.GroupsView)
	for _, tt := range []struct {
		name string
		next []capability.Capability
		want errs.Code
	}{
		{"the same", []capability.Capability{"users.read", "groups.view"}, ""},
		{"takes what they do not hold", []capability.Capability{"groups.view"}, errs.Forbidden},
		{"gives what they do not hold", []capability.Capability{"groups.view", "users.read", "users.manage"}, errs.Forbidden},
		{"takes what they hold", []capability.Capability{"users.read"}, ""},
		{"gives what they hold", []capability.Capability{"users.read", "groups.view"}, ""},
	} {
		_, err = updateRole(t, store, lesser, role.ID, people.RolePatch{Capabilities: &tt.next})
		if got := errs.Of(err); (err != nil || tt.want != "") && got.Code != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestSystemRolesAreProtected(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	id := systemRole(t, store, scope, capability.Author)
	name := "Writer"
	_, err := updateRole(t, store, scope, id, people.RolePatch{Name: &name})
	want(t, err, errs.RoleProtected)
	err = store.Write(t.Context(), scope, func(tx *db.Tx) error { return people.DeleteRole(t.Context(), tx, id) })
	want(t, err, errs.RoleProtected)
}

func TestRoleInUseIsNotDeleted(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	role, err := createRole(t, store, scope, people.RoleInput{Name: "R"})
	want(t, err, "")
	sample.Write(t, store, scope, func(tx *db.Tx) error { sample.User(t, tx, "R"); return nil })
	err = store.Write(t.Context(), scope, func(tx *db.Tx) error { return people.DeleteRole(t.Context(), tx, role.ID) })
	want(t, err, errs.RoleInUse)
}

func TestBillingIsReservedForBillingAdmin(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	_, err := createRole(t, store, sample.Tenant(t, store), people.RoleInput{Name: "R", Capabilities: []capability.Capability{"billing.manage", "no.such"}})
	want(t, err, errs.ValidationFailed)
	got := []string{}
	for _, f := range errs.Of(err).Fields {
		got = append(got, f.Path+" "+f.Code)
	}
	if diff := cmp.Diff([]string{"capabilities[0] capability_reserved", "capabilities[1] unknown_capability"}, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestNobodyComposesARoleBeyondTheirOwn(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	composer := sample.As(scope, ids.New(), capability.RolesManage, capability.UsersRead)
	_, err := createRole(t, store, composer, people.RoleInput{Name: "R", Capabilities: []capability.Capability{"questions.write"}})
	want(t, err, errs.Forbidden)
	role, err := createRole(t, store, scope, people.RoleInput{Name: "R", Capabilities: []capability.Capability{"questions.write"}})
	want(t, err, "")
	_, err = updateRole(t, store, composer, role.ID, people.RolePatch{Capabilities: &[]capability.Capability{"questions.write", "scope.all"}})
	want(t, err, errs.Forbidden)
	_, err = updateRole(t, store, composer, role.ID, people.RolePatch{Capabilities: &[]capability.Capability{"questions.write", "users.read"}})
	want(t, err, "")
}

func TestFindRoleByKeyNameOrID(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	// A role that is named like a key does not hide the system role.
	role, err := createRole(t, store, scope, people.RoleInput{Name: "named_analyst"})
	want(t, err, "")
	tests := []struct {
		name, word string
		want       string
		code       errs.Code
	}{
		{"key", "NAMED_ANALYST", "Named Analyst", ""},
		{"name", "named analyst", "Named Analyst", ""},
		{"id", role.ID.String(), "named_analyst", ""},
		{"nothing", "king", "", errs.NotFound},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
				got, err := people.FindRole(t.Context(), tx, test.word)
				if got.Name != test.want {
					t.Errorf("found %q, want %q", got.Name, test.want)
				}
				return err
			})
			want(t, err, test.code)
		})
	}
}

func TestCapabilitiesComeInPages(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	page := func(n, limit int) (list db.List[capability.Entry]) {
		err := store.Read(t.Context(), scope, func(tx *db.Tx) (err error) {
			list, err = people.ListCapabilities(t.Context(), tx, db.Page{Page: n, Limit: limit})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	all := page(1, db.MaxLimit).Items
	if n := len(capability.All); len(all) != n {
		t.Fatalf("%d capabilities, want %d", len(all), n)
	}
	second := page(2, 10)
	if second.Total != len(all) || len(second.Items) != 10 || second.Items[0] != all[10] {
		t.Errorf("second page: %+v", second)
	}
	if past := page(1<<40, 10); len(past.Items) != 0 || past.Total != len(all) {
		t.Errorf("past the end: %+v", past)
	}
}
