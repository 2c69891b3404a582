package people_test

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func create(t *testing.T, store *db.Store, scope db.Scope, in people.UserInput) (people.User, error) {
	t.Helper()
	var user people.User
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		var err error
		user, err = people.CreateUser(t.Context(), tx, in)
		return err
	})
	return user, err
}

func TestCreateUserReadsBack(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	user, err := create(t, store, scope, people.UserInput{
		Email: "Ada@Example.org", Name: "Ada", Metadata: map[string]any{"team": "a"},
		OrgUnits: []string{"main"}, Roles: []string{"candidate", "Reviewer"},
	})
	want(t, err, "")
	var roles []string
	for _, r := range user.Roles {
		roles = append(roles, r.SystemKey)
	}
	if diff := cmp.Diff([]string{"candidate", "reviewer"}, roles); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
	if len(user.OrgUnits) != 1 || user.OrgUnits[0].ID != scope.OrgUnit {
		t.Errorf("org units = %v, want main", user.OrgUnits)
	}
	err = store.Read(t.Context(), scope, func(tx *db.Tx) error {
		byID, err := people.GetUser(t.Context(), tx, user.ID)
		want(t, err, "")
		byEmail, err := people.UserByEmail(t.Context(), tx, "ADA@example.ORG")
		want(t, err, "")
		list, err := people.ListUsers(t.Context(), tx, people.UserFilter{})
		want(t, err, "")
		for _, got := range []people.User{byID, byEmail, list.Items[0]} {
			if diff := cmp.Diff(user, got); diff != "" {
				t.Errorf("user read back (-created +read):\n%s", diff)
			}
		}
		return nil
	})
	want(t, err, "")
}

func TestUsersNeedCapabilities(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	tests := []struct {
		name  string
		holds capability.Capability
		call  func(*db.Tx) error
		code  errs.Code
	}{
		{"read without", capability.UsersManage, func(tx *db.Tx) error { _, err := people.GetUser(t.Context(), tx, ids.New()); return err }, errs.Forbidden},
		{"read with", capability.UsersRead, func(tx *db.Tx) error { _, err := people.GetUser(t.Context(), tx, ids.New()); return err }, errs.NotFound},
		{"list without", capability.UsersManage, func(tx *db.Tx) error { _, err := people.ListUsers(t.Context(), tx, people.UserFilter{}); return err }, errs.Forbidden},
		{"by e-mail without", capability.UsersManage, func(tx *db.Tx) error { _, err := people.UserByEmail(t.Context(), tx, "a@b.c"); return err }, errs.Forbidden},
		{"create without", capability.UsersImport, func(tx *db.Tx) error {
			_, err := people.CreateUser(t.Context(), tx, people.UserInput{Email: "a@b.c"})
			return err
		}, errs.Forbidden},
		{"import without", capability.UsersManage, func(tx *db.Tx) error { _, err := people.UpsertUsers(t.Context(), tx, nil); return err }, errs.Forbidden},
		{"import with roles but without users.manage", capability.UsersImport, func(tx *db.Tx) error {
			_, err := people.UpsertUsers(t.Context(), tx, []people.UserInput{{Email: "a@b.c", Roles: []string{"candidate"}}})
			return err
		}, errs.Forbidden},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want(t, store.Write(t.Context(), sample.As(scope, ids.New(), test.holds), test.call), test.code)
		})
	}
}

func TestCreateUserNamesEveryProblem(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	_, err := create(t, store, scope, people.UserInput{
		Email: "nobody", Name: "a\nb", Metadata: map[string]any{"x": "\x00"}, OrgUnits: []string{"main", "nowhere"}, Roles: []string{"king"},
	})
	want(t, err, errs.ValidationFailed)
	got := map[string]string{}
	for _, f := range errs.Of(err).Fields {
		got[f.Path] = f.Code
	}
	wanted := map[string]string{"email": "invalid_email", "name": "invalid_characters", "metadata": "invalid_characters",
		"orgUnits[1]": "unknown_org_unit", "roles[0]": "unknown_role"}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestNobodyPutsPeopleBeyondTheirScope(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	sample.Write(t, store, scope, func(tx *db.Tx) error { sample.OrgUnit(t, tx, "other"); return nil })
	manager := sample.As(scope, ids.New(), capability.UsersManage)
	_, err := create(t, store, manager, people.UserInput{Email: "a@b.example", OrgUnits: []string{"other"}})
	want(t, err, errs.ValidationFailed)
	user, err := create(t, store, manager, people.UserInput{Email: "a@b.example"})
	want(t, err, "")
	if len(user.OrgUnits) != 1 || user.OrgUnits[0].Slug != "main" {
		t.Errorf("org units = %v, want the caller's own", user.OrgUnits)
	}
}

func TestSameEmailCreatedTwiceAtOnceSucceedsOnce(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	var wg sync.WaitGroup
	results := make([]error, 6)
	for i := range results {
		wg.Go(func() {
			_, results[i] = create(t, store, scope, people.UserInput{Email: []string{"eve@x.example", "EVE@X.example"}[i%2]})
		})
	}
	wg.Wait()
	created := 0
	for _, err := range results {
		if err == nil {
			created++
			continue
		}
		want(t, err, errs.DuplicateEmail)
	}
	if created != 1 {
		t.Errorf("%d creates succeeded, want 1", created)
	}
}

func TestSameEmailInTwoTenants(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	for range 2 {
		_, err := create(t, store, sample.Tenant(t, store), people.UserInput{Email: "both@x.example"})
		want(t, err, "")
	}
}

func TestLedgerKeepsNoPersonalData(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	_, err := create(t, store, scope, people.UserInput{Email: "secret@x.example", Name: "Secret Name", Metadata: map[string]any{"k": "Secret Value"}, Roles: []string{"candidate"}})
	want(t, err, "")
	err = store.Read(t.Context(), scope, func(tx *db.Tx) error {
		var events, leaks int
		err := tx.QueryRow(t.Context(), `select count(*), count(*) filter (where e::text ilike '%secret%')
			from ledger_events e where tenant_id = $1 and subject_type = 'user'`, tx.Tenant()).Scan(&events, &leaks)
		if events != 3 || leaks != 0 {
			t.Errorf("%d user events with %d leaks, want created, joined and granted with none", events, leaks)
		}
		return err
	})
	want(t, err, "")
}
