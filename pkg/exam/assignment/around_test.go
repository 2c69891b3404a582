package assignment_test

import (
	"testing"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// plainly starts a session without naming an assignment.
func (d *desk) plainly(as db.Scope, user *ids.ID) error {
	_, err := do(d, as, func(tx *db.Tx) (session.Session, error) {
		return d.sessions.Start(d.Context(), tx, session.StartInput{EvaluationID: d.evaluation, UserID: user})
	})
	return err
}

// Leaving the assignment out is no way around its window, its closing or its group.
func TestNobodyGoesAroundTheirAssignment(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	person, member, guest, free := d.candidate(), d.candidate(), d.candidate(), d.candidate()
	over := time.Now().Add(-time.Hour)
	past := d.create("user_id", person.Actor.ID.String(), until(over))
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
	for name, c := range map[string]struct {
		who  db.Scope
		need ids.ID
	}{"after the window": {person, past.ID}, "closed, of a group": {member, closed.ID}, "closed, redeemed": {guest, link.ID}} {
		t.Run(name, func(t *testing.T) {
			err := errs.Of(d.plainly(c.who, nil))
			if len(err.Fields) != 1 || err.Fields[0].Path != "assignmentId" {
				t.Errorf("got %v, want assignmentId to be required", err)
			}
			if named, _ := err.Details["assignmentIds"].([]ids.ID); len(named) != 1 || named[0] != c.need {
				t.Errorf("the answer names %v, want %s", err.Details["assignmentIds"], c.need)
			}
		})
	}
	wantCode(t, d.plainly(free, nil), "")
	proctor := sample.As(d.operator, d.candidate().Actor.ID, capability.SessionsProctor)
	wantCode(t, d.plainly(proctor, &person.Actor.ID), "")
}
