package intake_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/people/hold"
	"assess/pkg/people/people"
	"assess/pkg/surface/intake"
)

// crew gives a tenant users of every kind that a file can hold, and some that it must not.
func crew(t *testing.T) bench {
	t.Helper()
	b := newBench(t)
	b.scope.All = true
	sample.Write(t, b.store, b.scope, func(tx *db.Tx) error {
		sample.OrgUnit(t, tx, "south")
		for _, name := range []string{"Markers; inner circle", "tenant_admin", "Markers"} {
			_, err := people.CreateRole(t.Context(), tx, people.RoleInput{Name: name, Capabilities: []capability.Capability{capability.SubmissionsRead}})
			if err != nil {
				return err
			}
		}
		_, err := people.UpsertUsers(t.Context(), tx, []people.UserInput{
			{Email: "ada@example.org", Name: "=Ada \"Countess\", L.", Roles: []string{"candidate", "markers", "Markers; inner circle"},
				Metadata: map[string]any{"cohort": "2031", "n": 1.5, "list": []any{"a", true, nil}, "deep": map[string]any{"x": "ü"}}},
			{Email: "Bo@Example.org", OrgUnits: []string{"south"}},
			{Email: "both@example.org", Name: "Both", OrgUnits: []string{"south", b.slug(tx)}},
			{Email: "away@example.org", Name: "Away"}, {Email: "held@example.org", Name: "Held"},
		})
		if err != nil {
			return err
		}
		_, err = people.CreateUser(t.Context(), tx, people.UserInput{Name: "Zoe Without", Roles: []string{"candidate"}, Metadata: map[string]any{"class": "7b"}})
		if err != nil {
			return err
		}
		away, err := people.UserByEmail(t.Context(), tx, "away@example.org")
		if err != nil {
			return err
		}
		_, err = people.DeactivateUser(t.Context(), tx, away.ID)
		if err != nil {
			return err
		}
		held, err := people.UserByEmail(t.Context(), tx, "held@example.org")
		if err != nil {
			return err
		}
		_, err = hold.Place(t.Context(), tx, hold.Input{SubjectID: held.ID, Terms: hold.Terms{Kind: hold.Processing, ReasonCode: "objection_pending"}})
		return err
	})
	return b
}

// slug is the slug of the caller's org unit.
func (b bench) slug(tx *db.Tx) string {
	b.Helper()
	var slug string
	err := tx.QueryRow(b.Context(), "select slug from org_units where tenant_id = $1 and id = $2", tx.Tenant(), tx.Scope().OrgUnit).Scan(&slug)
	if err != nil {
		b.Fatal(err)
	}
	return slug
}

// Users are exported and imported again unchanged, but only users who can sign in and whose data may be used.
func TestExportedUsersReturnUnchanged(t *testing.T) {
	t.Parallel()
	b := crew(t)
	file := b.returns(intake.ExportUsers, intake.CommitUsers, 4)
	for _, gone := range []string{"away@", "held@"} {
		if strings.Contains(file, gone) {
			t.Errorf("%s is in the file", gone)
		}
	}
	rows := table(t, file)
	if got, want := rows["ada@example.org"]["metadata"], `{"cohort":"2031","deep":{"x":"ü"},"list":["a",true,null],"n":1.5}`; got != want {
		t.Errorf("metadata %s, want %s", got, want)
	}
	// Into a tenant where nobody is, they come as they went.
	other := newBench(t)
	other.scope.All = true
	sample.Write(t, other.store, other.scope, func(tx *db.Tx) error {
		sample.OrgUnit(t, tx, "south")
		_, err := people.CreateRole(t.Context(), tx, people.RoleInput{Name: "Markers", Capabilities: []capability.Capability{capability.SubmissionsRead}})
		return err
	})
	moved := strings.NewReplacer(b.home(), other.home(), ownRole(rows["ada@example.org"]["roles"]), "").Replace(file)
	other.must(intake.CommitUsers, moved)
	if diff := cmp.Diff(table(t, moved), table(t, other.export(intake.ExportUsers, intake.Export{}))); diff != "" {
		t.Errorf("exported from there (-sent +got):\n%s", diff)
	}
}

// ownRole is the id in a list of roles, with the separator before it.
func ownRole(list string) string {
	for one := range strings.SplitSeq(list, ";") {
		if strings.Count(one, "-") == 4 {
			return ";" + one
		}
	}
	return list
}

func (b bench) home() string {
	b.Helper()
	var slug string
	err := b.store.Read(b.Context(), b.scope, func(tx *db.Tx) error {
		slug = b.slug(tx)
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return slug
}

// A caller who reaches one org unit exports its people, and reads nothing about others.
func TestExportedUsersAreThoseInReach(t *testing.T) {
	t.Parallel()
	b := crew(t)
	b.scope.All = false
	rows := table(t, b.export(intake.ExportUsers, intake.Export{}))
	if len(rows) != 3 || rows["both@example.org"]["orgUnits"] != b.home() || rows["ada@example.org"] == nil {
		t.Errorf("got %v", rows)
	}
	if done := b.must(intake.CommitUsers, b.export(intake.ExportUsers, intake.Export{})); done.Unchanged != 3 {
		t.Errorf("imported again: %s", counts(done))
	}
}

// Roles that a caller could not grant do not matter where they are held already.
func TestExportedRolesReturnUnchangedForWhoCannotGrantThem(t *testing.T) {
	t.Parallel()
	b := crew(t)
	for _, holds := range [][]capability.Capability{
		{capability.UsersRead, capability.UsersImport, capability.UsersManage, capability.ScopeAll},
		{capability.UsersRead, capability.UsersImport, capability.ScopeAll},
		{capability.UsersRead, capability.UsersImport},
	} {
		caller := b.as(holds...)
		file := caller.export(intake.ExportUsers, intake.Export{})
		done := caller.must(intake.CommitUsers, file)
		if done.Unchanged == 0 || done.Unchanged != done.Total {
			t.Errorf("%v: imported again: %s", holds, counts(done))
		}
		more := intake.Input{Data: []byte("email,roles\nada@example.org,candidate;tenant_admin\n")}
		_, err := caller.commit(intake.CommitUsers, more)
		if !slices.Contains(holds, capability.UsersManage) {
			want(t, err, errs.Forbidden)
			continue
		}
		want(t, err, errs.ImportInvalid)
		if found := errs.Of(err).Fields; len(found) != 1 || found[0].Code != "role_beyond_yours" {
			t.Errorf("a new role: %v", found)
		}
	}
}
