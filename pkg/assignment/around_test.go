package assignment_test

import (
	"testing"
	"time"

	"assess/pkg/assignment"
	"assess/pkg/authoring"
	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/delivery"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/sample"
)

// plainly starts a session without naming an assignment.
func (d *desk) plainly(as db.Scope, user *ids.ID) error {
	_, err := do(d, as, func(tx *db.Tx) (delivery.Session, error) {
		return d.delivery.Start(d.Context(), tx, delivery.StartInput{EvaluationID: d.evaluation, UserID: user})
	})
	return err
}

// Leaving the assignment out is no way around its window, its closing or its group.
func TestNobodyGoesAroundTheirAssignment(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	person, member, guest, free := d.candidate(), d.candidate(), d.candidate(), d.candidate()
	over := time.Now().Add(-time.Hour)
	d.create("user_id", person.Actor.ID.String(), until(over))
	closed := d.create("group_id", d.group(member).String())
	link := d.create("public_link", "")
	if _, err := d.redeemToken(guest, link.Token); err != nil {
		t.Fatal(err)
	}
	for _, id := range []ids.ID{closed.ID, link.ID} {
		if _, err := d.patch(id, assignment.Patch{Status: ptr("closed")}); err != nil {
			t.Fatal(err)
		}
	}
	for name, who := range map[string]db.Scope{"after the window": person, "closed, of a group": member, "closed, redeemed": guest} {
		t.Run(name, func(t *testing.T) {
			err := d.plainly(who, nil)
			if fields := errs.Of(err).Fields; len(fields) != 1 || fields[0].Path != "assignmentId" {
				t.Errorf("got %v, want assignmentId to be required", err)
			}
		})
	}
	wantCode(t, d.plainly(free, nil), "")
	proctor := sample.As(d.operator, d.candidate().Actor.ID, capability.SessionsProctor)
	wantCode(t, d.plainly(proctor, &person.Actor.ID), "")
}
