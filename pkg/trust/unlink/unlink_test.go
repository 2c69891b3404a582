package unlink_test

import (
	"errors"
	"testing"
	"time"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/unlink"
)

// Of two jobs about the same person and org unit the second finds nothing left to do, and ends as the first did.
// A job requested later is refused.
func TestUnlinkingTwice(t *testing.T) {
	t.Parallel()
	store := dbtest.Open(t, db.Options{URL: dbtest.Clone(t).App})
	scope := sample.Tenant(t, store)
	scope.All = true
	centre := &compliance.Centre{Store: store, Secret: sample.KeySecret, SLA: time.Hour, Kinds: []compliance.Kind{unlink.Kind()}}
	in := compliance.Input{Type: compliance.Unlink}
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		person, north := sample.User(t, tx), sample.OrgUnit(t, tx, "north")
		units := []string{scope.OrgUnit.String(), north.Slug}
		_, err := people.UpdateUser(t.Context(), tx, person.ID, people.UserPatch{OrgUnits: &units})
		in.SubjectID, in.Arguments = person.ID, compliance.Arguments(unlink.Arguments{OrgUnitID: north.ID})
		return err
	})
	var jobs []ids.ID
	for range 2 {
		sample.Write(t, store, scope, func(tx *db.Tx) error {
			made, err := centre.Create(t.Context(), tx, in)
			jobs = append(jobs, made.ID)
			return err
		})
	}
	for i, job := range jobs {
		done, err := centre.Work(t.Context(), scope.Tenant, job, nil)
		if err != nil || done.Status != models.ComplianceCompleted || done.Counts["user_org_units"] != int64(1-i) {
			t.Errorf("job %d: %+v, %v", i+1, done, err)
		}
	}
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		_, err := centre.Create(t.Context(), tx, in)
		return err
	})
	if !errors.Is(err, errs.ValidationFailed) {
		t.Errorf("a third one: %v", err)
	}
}
