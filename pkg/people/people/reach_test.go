package people_test

import (
	"slices"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// campus is a tenant with two org units, north and south, seen by somebody in north.
type campus struct {
	store *db.Store
	// wide is an operator's scope over the tenant; the other two end at north.
	wide, admin, operator db.Scope
	group                 ids.ID
	granted, other        ids.ID
}

func newCampus(t *testing.T) campus {
	t.Helper()
	store := sample.Store(t)
	c := campus{store: store, wide: sample.Tenant(t, store)}
	var caps []capability.Capability
	for _, e := range capability.All {
		if e.Capability != capability.ScopeAll {
			caps = append(caps, e.Capability)
		}
	}
	sample.Write(t, store, c.wide, func(tx *db.Tx) error {
		north := sample.OrgUnit(t, tx, "north")
		sample.OrgUnit(t, tx, "south")
		c.wide.OrgUnit = north.ID
		return nil
	})
	c.admin = sample.As(c.wide, ids.New(), caps...)
	c.operator = c.wide
	c.operator.All = false
	group, err := createGroup(t, store, c.operator, people.GroupInput{Name: "Crew"})
	want(t, err, "")
	c.group = group.ID
	c.granted, c.other = systemRole(t, store, c.wide, "candidate"), systemRole(t, store, c.wide, "analyst")
	return c
}

// person makes a user with a role in these org units.
func (c campus) person(t *testing.T, units ...string) people.User {
	t.Helper()
	user, err := create(t, c.store, c.wide, people.UserInput{Email: ids.New().String() + "@example.org", Name: "Pat",
		Metadata: map[string]any{"team": "a"}, OrgUnits: units, Roles: []string{"candidate"}})
	want(t, err, "")
	if len(units) == 0 {
		user, err = updateUser(t, c.store, c.wide, user.ID, people.UserPatch{OrgUnits: &[]string{}})
		want(t, err, "")
	}
	return user
}

// everything gives all that is stored about a user, and how many events are about them.
func (c campus) everything(t *testing.T, user ids.ID) (all string) {
	t.Helper()
	sample.Write(t, c.store, c.wide, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `select concat_ws(' ', u,
			array(select org_unit_id from user_org_units where tenant_id = $1 and user_id = u.id order by 1),
			array(select role_id from user_roles where tenant_id = $1 and user_id = u.id order by 1),
			array(select group_id from group_members where tenant_id = $1 and user_id = u.id order by 1),
			(select count(*) from ledger_events where tenant_id = $1 and subject_id = u.id))
			from users u where tenant_id = $1 and id = $2`, tx.Tenant(), user).Scan(&all)
	})
	return all
}

// act is one way of changing a user, and for which users it is refused to somebody who reaches only north.
type act struct {
	name    string
	do      func(tx *db.Tx, u people.User) error
	refused []string
	code    errs.Code
}

func (c campus) acts(t *testing.T) []act {
	update := func(patch people.UserPatch) func(*db.Tx, people.User) error {
		return func(tx *db.Tx, u people.User) error {
			_, err := people.UpdateUser(t.Context(), tx, u.ID, patch)
			return err
		}
	}
	bring := func(in people.UserInput) func(*db.Tx, people.User) error {
		return func(tx *db.Tx, u people.User) error {
			in.Email = u.Email
			_, err := people.UpsertUsers(t.Context(), tx, []people.UserInput{in})
			return err
		}
	}
	beyond, further := []string{"south", "both", "none"}, []string{"south", "both"}
	return []act{
		{"name", update(people.UserPatch{Name: ptr("Other")}), beyond, errs.UserOutOfReach},
		{"address", func(tx *db.Tx, u people.User) error {
			return update(people.UserPatch{Email: ptr(ids.New().String() + "@example.org")})(tx, u)
		}, beyond, errs.UserOutOfReach},
		{"metadata", update(people.UserPatch{Metadata: &map[string]any{"team": "b"}}), beyond, errs.UserOutOfReach},
		{"deactivate", func(tx *db.Tx, u people.User) error {
			_, err := people.DeactivateUser(t.Context(), tx, u.ID)
			return err
		}, beyond, errs.UserOutOfReach},
		{"grant", func(tx *db.Tx, u people.User) error {
			_, err := people.GrantRole(t.Context(), tx, u.ID, c.other)
			return err
		}, beyond, errs.UserOutOfReach},
		{"revoke", func(tx *db.Tx, u people.User) error { return people.RevokeRole(t.Context(), tx, u.ID, c.granted) }, beyond, errs.UserOutOfReach},
		{"take in", update(people.UserPatch{OrgUnits: &[]string{"north"}}), nil, ""},
		{"take in and rename", update(people.UserPatch{OrgUnits: &[]string{"north"}, Name: ptr("Other")}), further, errs.UserOutOfReach},
		{"lead out", update(people.UserPatch{OrgUnits: &[]string{}}), nil, ""},
		{"name them as they are", update(people.UserPatch{Name: ptr("Pat"), Metadata: &map[string]any{"team": "a"}}), beyond, errs.UserOutOfReach},
		{"an address as it is", func(tx *db.Tx, u people.User) error { return update(people.UserPatch{Email: &u.Email})(tx, u) }, beyond, errs.UserOutOfReach},
		{"reactivate, though active", func(tx *db.Tx, u people.User) error {
			_, err := people.ReactivateUser(t.Context(), tx, u.ID)
			return err
		}, beyond, errs.UserOutOfReach},
		{"nothing", update(people.UserPatch{}), beyond, errs.UserOutOfReach},
		{"import, as they are", bring(people.UserInput{Name: "Pat", Metadata: map[string]any{"team": "a"}, Roles: []string{"candidate"}}), nil, ""},
		{"import a name", bring(people.UserInput{Name: "Other"}), further, errs.ValidationFailed},
		{"import metadata", bring(people.UserInput{Metadata: map[string]any{"cohort": "2031"}}), further, errs.ValidationFailed},
		{"import a role", bring(people.UserInput{Roles: []string{"analyst"}}), further, errs.ValidationFailed},
		{"add to a group", func(tx *db.Tx, u people.User) error {
			_, err := people.AddMembers(t.Context(), tx, c.group, people.MembersInput{UserIDs: []ids.ID{u.ID}})
			return err
		}, []string{"south", "none"}, errs.ValidationFailed},
	}
}

var stands = map[string][]string{"north": {"north"}, "south": {"south"}, "both": {"north", "south"}, "none": {}}

func TestNobodyChangesPeopleBeyondTheirReach(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	for where, units := range stands {
		for _, a := range c.acts(t) {
			for who, scope := range map[string]db.Scope{"an admin": c.admin, "an operator with --org": c.operator} {
				user := c.person(t, units...)
				before := c.everything(t, user.ID)
				err := c.store.Write(t.Context(), scope, func(tx *db.Tx) error { return a.do(tx, user) })
				refused := slices.Contains(a.refused, where)
				if refused != (errs.Of(err) != nil && errs.Of(err).Code == a.code) || !refused && err != nil {
					t.Errorf("%s of north, %s, somebody of %s: got %v, want refused %t", who, a.name, where, err, refused)
				}
				if refused && c.everything(t, user.ID) != before {
					t.Errorf("%s of north, %s, somebody of %s: refused and written all the same", who, a.name, where)
				}
			}
			user := c.person(t, units...)
			err := c.store.Write(t.Context(), c.wide, func(tx *db.Tx) error { return a.do(tx, user) })
			if err != nil && a.name != "add to a group" {
				t.Errorf("tenant-wide, %s, somebody of %s: %v", a.name, where, err)
			}
		}
	}
}

func TestOnesOwnRecordIsWithinReach(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	user := c.person(t, "north", "south")
	self := sample.As(c.wide, user.ID, capability.UsersManage)
	_, err := updateUser(t, c.store, self, user.ID, people.UserPatch{Name: ptr("Other")})
	want(t, err, "")
}

// The preview of an import finds what the commit refuses, in the same places.
func TestImportsNameWhatIsBeyondReach(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	far, near := c.person(t, "south"), c.person(t, "north")
	rows := []people.UserInput{
		{Email: near.Email, Name: "Other", Roles: []string{"analyst"}},
		{Email: "new@example.org", Name: "New"},
		{Email: far.Email, Name: "Other", Roles: []string{"candidate", "analyst"}, Metadata: map[string]any{"team": "b"}},
	}
	err := c.store.Read(t.Context(), c.admin, func(tx *db.Tx) error {
		checks, err := people.CheckUsers(t.Context(), tx, rows)
		want(t, err, "")
		if len(checks[0].Problems)+len(checks[1].Problems) > 0 {
			t.Errorf("problems of others: %v, %v", checks[0].Problems, checks[1].Problems)
		}
		wantFar(t, checks[2].Problems, "name", "metadata", "roles")
		return nil
	})
	want(t, err, "")
	err = c.store.Write(t.Context(), c.admin, func(tx *db.Tx) error {
		_, err := people.UpsertUsers(t.Context(), tx, rows)
		return err
	})
	want(t, err, errs.ValidationFailed)
	wantFar(t, errs.Of(err).Fields, "[2].name", "[2].metadata", "[2].roles")
}

func wantFar(t *testing.T, got []errs.Field, paths ...string) {
	t.Helper()
	if len(got) != len(paths) {
		t.Fatalf("got %v, want problems of %v", got, paths)
	}
	for i, f := range got {
		if f.Path != paths[i] || f.Code != string(errs.UserOutOfReach) {
			t.Errorf("got %s at %s, want user_out_of_reach at %s", f.Code, f.Path, paths[i])
		}
	}
}

// Somebody of south makes a user that an import into north is about to make: the import waits
// for them, and then changes nothing about the user.
func TestAnImportDoesNotOverrunWhomOthersMakeMeanwhile(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	email := ids.New().String() + "@example.org"
	var done <-chan error
	south := c.wide
	sample.Write(t, c.store, c.wide, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select id from org_units where tenant_id = $1 and slug = 'south'", tx.Tenant()).Scan(&south.OrgUnit)
	})
	var made people.User
	sample.Write(t, c.store, south, func(tx *db.Tx) error {
		var err error
		made, err = people.CreateUser(t.Context(), tx, people.UserInput{Email: email, Name: "Pat"})
		if err != nil {
			return err
		}
		done = sample.Blocked(t, tx, func() error {
			return c.store.Write(t.Context(), c.admin, func(tx *db.Tx) error {
				_, err := people.UpsertUsers(t.Context(), tx, []people.UserInput{{Email: email, Name: "Other"}})
				return err
			})
		})
		return nil
	})
	want(t, <-done, errs.ValidationFailed)
	if got := getUser(t, c.store, c.wide, made.ID); got.Name != "Pat" || len(got.OrgUnits) != 1 {
		t.Errorf("got %+v, want the user as they were made", got)
	}
}

func TestRolesThatPeopleHoldNeedTheWholeTenant(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	var role people.Role
	sample.Write(t, c.store, c.wide, func(tx *db.Tx) error {
		var err error
		role, err = people.CreateRole(t.Context(), tx, people.RoleInput{Name: "Own", Capabilities: []capability.Capability{capability.UsersRead}})
		return err
	})
	change := func(scope db.Scope, name string) error {
		return c.store.Write(t.Context(), scope, func(tx *db.Tx) error {
			_, err := people.UpdateRole(t.Context(), tx, role.ID, people.RolePatch{Name: &name})
			return err
		})
	}
	want(t, change(c.admin, "Nobody's"), "")
	want(t, grant(t, c.store, c.wide, c.person(t, "south").ID, role.ID), "")
	want(t, change(c.admin, "South's"), errs.Forbidden)
	want(t, change(c.operator, "South's"), errs.Forbidden)
	want(t, change(c.wide, "Everybody's"), "")
}
