package people_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func TestPeopleWithoutAnAddressAreUsersLikeOthers(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	for _, name := range []string{"", "  "} {
		_, err := create(t, store, scope, people.UserInput{Name: name})
		want(t, err, errs.ValidationFailed)
	}
	zoe, err := create(t, store, scope, people.UserInput{Name: "Zoë Without", Roles: []string{"candidate"}, Metadata: map[string]any{"class": "7b"}})
	want(t, err, "")
	if zoe.Email != "" || len(zoe.OrgUnits) != 1 || len(zoe.Roles) != 1 {
		t.Errorf("got %+v", zoe)
	}
	// There may be several, and each is found by name and attribute.
	_, err = create(t, store, scope, people.UserInput{Name: "Yan Without"})
	want(t, err, "")
	for _, filter := range []people.UserFilter{{Search: "zoe"}, {Metadata: []string{"class=7b"}}, {Role: "candidate"}} {
		found, err := in(t, store, scope, func(ctx context.Context, tx *db.Tx) (db.List[people.User], error) {
			return people.ListUsers(ctx, tx, filter)
		})
		want(t, err, "")
		if len(found.Items) != 1 || found.Items[0].ID != zoe.ID {
			t.Errorf("%+v finds %+v", filter, found.Items)
		}
	}
	_, err = updateUser(t, store, scope, zoe.ID, people.UserPatch{Name: ptr("")})
	want(t, err, errs.ValidationFailed)
	changed, err := updateUser(t, store, scope, zoe.ID, people.UserPatch{Name: ptr("Zoe")})
	want(t, err, "")
	if changed.Name != "Zoe" || changed.Email != "" {
		t.Errorf("got %+v", changed)
	}
	want(t, deactivate(t, store, scope, zoe.ID), "")
}

func TestAnAddressIsGivenAndTakenAway(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	told := func() (n int) {
		t.Helper()
		sample.Write(t, store, scope, func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), "select count(*) from former_addresses where tenant_id = $1", tx.Tenant()).Scan(&n)
		})
		return n
	}
	zoe, err := create(t, store, scope, people.UserInput{Name: "Zoe"})
	want(t, err, "")
	given, err := updateUser(t, store, scope, zoe.ID, people.UserPatch{Email: ptr("zoe@example.org")})
	want(t, err, "")
	if given.Email != "zoe@example.org" || told() != 0 {
		t.Errorf("got %+v, and %d addresses are told", given, told())
	}
	taken, err := updateUser(t, store, scope, zoe.ID, people.UserPatch{Email: ptr(" ")})
	want(t, err, "")
	if taken.Email != "" || told() != 1 {
		t.Errorf("got %+v, and %d addresses are told, want 1", taken, told())
	}
	_, err = create(t, store, scope, people.UserInput{Email: "zoe@example.org"})
	want(t, err, "")
}

// Without an address nobody gets a link, and an admin without one is none who could sign in.
func TestTheLastTenantAdminKeepsTheAddress(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	role := systemRole(t, store, scope, capability.TenantAdmin)
	one := newUser(t, store, scope, capability.TenantAdmin)
	_, err := updateUser(t, store, scope, one.ID, people.UserPatch{Email: ptr("")})
	want(t, err, errs.LastTenantAdmin)
	two, err := create(t, store, scope, people.UserInput{Name: "Two", Roles: []string{capability.TenantAdmin}})
	want(t, err, "")
	want(t, revoke(t, store, scope, one.ID, role), errs.LastTenantAdmin)
	_, err = updateUser(t, store, scope, two.ID, people.UserPatch{Email: ptr("two@example.org")})
	want(t, err, "")
	_, err = updateUser(t, store, scope, one.ID, people.UserPatch{Email: ptr("")})
	want(t, err, "")
}

func TestImportsCompletePeopleWithoutAnAddressByTheirID(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	other := newOrgUnit(t, store, scope, "other")
	zoe, err := create(t, store, scope, people.UserInput{Name: "Zoe"})
	want(t, err, "")
	ada, fresh := newUser(t, store, scope), ids.New()
	for _, step := range []struct {
		name string
		in   []people.UserInput
		want []people.Change
	}{
		{"the same", []people.UserInput{{ID: zoe.ID}, {Email: ada.Email}}, []people.Change{people.Unchanged, people.Unchanged}},
		{"a name", []people.UserInput{{ID: zoe.ID, Name: "Zoë"}}, []people.Change{people.Changed}},
		{"a key", []people.UserInput{{ID: zoe.ID, Metadata: map[string]any{"k": "v"}}}, []people.Change{people.Changed}},
		{"a role", []people.UserInput{{ID: zoe.ID, Roles: []string{"candidate"}}}, []people.Change{people.Changed}},
		{"the role again", []people.UserInput{{ID: zoe.ID, Roles: []string{"candidate"}}}, []people.Change{people.Unchanged}},
		{"somebody new", []people.UserInput{{ID: fresh, Name: "Fresh"}}, []people.Change{people.Created}},
		{"again", []people.UserInput{{ID: fresh, Name: "Fresh"}}, []people.Change{people.Unchanged}},
		{"an org unit", []people.UserInput{{ID: zoe.ID, OrgUnits: []string{"other"}}}, []people.Change{people.Changed}},
	} {
		got, err := upsert(t, store, scope, step.in...)
		want(t, err, "")
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	if got := getUser(t, store, scope, zoe.ID); got.Name != "Zoë" || got.Metadata["k"] != "v" || len(got.OrgUnits) != 2 {
		t.Errorf("got %+v", got)
	}
	// In another tenant it is somebody else.
	elsewhere := sample.Tenant(t, store)
	got, err := upsert(t, store, elsewhere, people.UserInput{ID: zoe.ID, Name: "Other"})
	want(t, err, "")
	if len(got) != 1 || got[0] != people.Created || getUser(t, store, scope, zoe.ID).Name != "Zoë" {
		t.Errorf("got %v", got)
	}
	narrow := scope
	narrow.All, narrow.OrgUnit = false, other.ID
	for name, c := range map[string]struct {
		scope db.Scope
		in    []people.UserInput
	}{
		"somebody new, nameless": {scope, []people.UserInput{{ID: ids.New()}}},
		"somebody with address":  {scope, []people.UserInput{{ID: ada.ID, Name: "X"}}},
		"twice":                  {scope, []people.UserInput{{ID: zoe.ID}, {ID: zoe.ID}}},
		"beyond the reach":       {narrow, []people.UserInput{{ID: zoe.ID, Name: "X"}}},
		"neither address nor id": {scope, []people.UserInput{{Name: "X"}}},
	} {
		t.Log(name)
		_, err := upsert(t, store, c.scope, c.in...)
		want(t, err, errs.ValidationFailed)
	}
}
