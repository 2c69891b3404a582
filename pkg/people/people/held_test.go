package people_test

import (
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/people/people"
)

// Under a hold the metadata of a person stay as they are, no matter who changes them, in the record and by import; the rest goes on.
func TestAHoldKeepsMetadata(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	user, other := c.person(t, "north"), c.person(t, "north")
	place := func(held bool) {
		t.Helper()
		sample.Write(t, c.store, c.wide, func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), "update users set held = $3 where tenant_id = $1 and id = $2", tx.Tenant(), user.ID, held)
			return err
		})
	}
	bring := func(of people.User, metadata map[string]any) error {
		return c.store.Write(t.Context(), c.wide, func(tx *db.Tx) error {
			_, err := people.UpsertUsers(t.Context(), tx, []people.UserInput{{Email: of.Email, Name: "Robin", Metadata: metadata}})
			return err
		})
	}
	place(true)
	for _, scope := range []db.Scope{c.wide, c.admin} {
		_, err := updateUser(t, c.store, scope, user.ID, people.UserPatch{Metadata: &map[string]any{"team": "b"}})
		want(t, err, errs.HoldActive)
		_, err = updateUser(t, c.store, scope, user.ID, people.UserPatch{Metadata: &map[string]any{}})
		want(t, err, errs.HoldActive)
	}
	err := bring(user, map[string]any{"cohort": "2031"})
	want(t, err, errs.ValidationFailed)
	if f := errs.Of(err).Fields; len(f) != 1 || f[0].Path != "[0].metadata" || f[0].Code != string(errs.HoldActive) {
		t.Errorf("got %+v", f)
	}
	want(t, bring(user, map[string]any{"team": "a"}), "")
	want(t, bring(other, map[string]any{"cohort": "2031"}), "")
	kept, err := updateUser(t, c.store, c.wide, user.ID, people.UserPatch{Name: ptr("Kim"), Metadata: &map[string]any{"team": "a"}})
	want(t, err, "")
	if kept.Name != "Kim" || kept.Metadata["team"] != "a" || len(kept.Metadata) != 1 {
		t.Errorf("got %+v", kept)
	}
	place(false)
	_, err = updateUser(t, c.store, c.wide, user.ID, people.UserPatch{Metadata: &map[string]any{"team": "b"}})
	want(t, err, "")
}
