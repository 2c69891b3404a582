package people_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/people/people"
)

func upsert(t *testing.T, store *db.Store, scope db.Scope, in ...people.UserInput) ([]people.Change, error) {
	t.Helper()
	changes := []people.Change{}
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		got, err := people.UpsertUsers(t.Context(), tx, in)
		changes = changes[:0]
		for _, u := range got {
			changes = append(changes, u.Change)
		}
		return err
	})
	return changes, err
}

func TestUpsertUsersTellsWhatChanged(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	sample.Write(t, store, scope, func(tx *db.Tx) error { sample.OrgUnit(t, tx, "other"); return nil })
	steps := []struct {
		name string
		in   []people.UserInput
		want []people.Change
	}{
		{"new", []people.UserInput{{Email: "a@x.example", Name: "A"}, {Email: "b@x.example"}}, []people.Change{people.Created, people.Created}},
		{"again", []people.UserInput{{Email: "A@X.example", Name: "A"}, {Email: "b@x.example"}}, []people.Change{people.Unchanged, people.Unchanged}},
		{"empty name keeps the name", []people.UserInput{{Email: "a@x.example"}}, []people.Change{people.Unchanged}},
		{"new name", []people.UserInput{{Email: "a@x.example", Name: "Aa"}}, []people.Change{people.Changed}},
		{"new key", []people.UserInput{{Email: "a@x.example", Metadata: map[string]any{"k": "v"}}}, []people.Change{people.Changed}},
		{"other keys stay", []people.UserInput{{Email: "a@x.example", Metadata: map[string]any{"l": "w"}}}, []people.Change{people.Changed}},
		{"same key", []people.UserInput{{Email: "a@x.example", Metadata: map[string]any{"k": "v"}}}, []people.Change{people.Unchanged}},
		{"new org unit", []people.UserInput{{Email: "b@x.example", OrgUnits: []string{"other"}}}, []people.Change{people.Changed}},
		{"new role", []people.UserInput{{Email: "b@x.example", Roles: []string{"candidate"}}}, []people.Change{people.Changed}},
		{"role again", []people.UserInput{{Email: "b@x.example", Roles: []string{"Candidate"}}}, []people.Change{people.Unchanged}},
		{"nobody", nil, []people.Change{}},
	}
	for _, step := range steps {
		got, err := upsert(t, store, scope, step.in...)
		want(t, err, "")
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
		a, err := people.UserByEmail(t.Context(), tx, "a@x.example")
		want(t, err, "")
		if diff := cmp.Diff(map[string]any{"k": "v", "l": "w"}, a.Metadata); diff != "" || a.Name != "Aa" {
			t.Errorf("name %q, metadata (-want +got):\n%s", a.Name, diff)
		}
		b, err := people.UserByEmail(t.Context(), tx, "b@x.example")
		if len(b.OrgUnits) != 2 || len(b.Roles) != 1 {
			t.Errorf("org units %v and roles %v, want two and one", b.OrgUnits, b.Roles)
		}
		return err
	})
	want(t, err, "")
}

func TestUpsertUsersNamesEveryProblem(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	_, err := upsert(t, store, sample.Tenant(t, store),
		people.UserInput{Email: "a@x.example"}, people.UserInput{Email: "A@x.example"}, people.UserInput{Roles: []string{"king"}})
	want(t, err, errs.ValidationFailed)
	got := []string{}
	for _, f := range errs.Of(err).Fields {
		got = append(got, f.Path+" "+f.Code)
	}
	if diff := cmp.Diff([]string{"[1].email duplicate_email", "[2].email required", "[2].roles[0] unknown_role"}, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestTwoImportsAtOnceCreateEachUserOnce(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	forwards, backwards := []people.UserInput{}, []people.UserInput{}
	for i := range 200 {
		u := people.UserInput{Email: fmt.Sprintf("u%d@x.example", i), Roles: []string{"candidate"}}
		forwards, backwards = append(forwards, u), append([]people.UserInput{u}, backwards...)
	}
	var wg sync.WaitGroup
	created := make([]int, 4)
	for i := range created {
		wg.Go(func() {
			changes, err := upsert(t, store, scope, [][]people.UserInput{forwards, backwards}[i%2]...)
			if err != nil {
				t.Error(err)
			}
			for _, c := range changes {
				if c == people.Created {
					created[i]++
				}
			}
		})
	}
	wg.Wait()
	if sum := created[0] + created[1] + created[2] + created[3]; sum != 200 {
		t.Errorf("created %v, want 200 in all", created)
	}
}
