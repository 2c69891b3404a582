package session_test

import (
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestSessionDoesNotExistForOthers(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	s := r.start(r.candidate)
	stranger := sample.Tenant(t, r.store)
	elsewhere := r.operator
	sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
		elsewhere.OrgUnit = sample.OrgUnit(t, tx, "away").ID
		return nil
	})
	tests := []struct {
		name string
		as   db.Scope
		want errs.Code
	}{
		{"another candidate", r.person(capability.SessionsTake), errs.NotFound},
		{"a proctor of another tenant", sample.As(stranger, ids.New(), capability.SessionsProctor), errs.NotFound},
		{"a proctor of another org unit", sample.As(elsewhere, ids.New(), capability.SessionsProctor), errs.NotFound},
		{"the candidate in another org unit", sample.As(elsewhere, r.candidate.Actor.ID, capability.SessionsTake), errs.NotFound},
		{"somebody without capability", r.person(), errs.Forbidden},
	}
	// The desk that knows the session must refuse as well as one that does not.
	_, err := r.save(r.candidate, s.ID, answer(r.item(0), 1, "null"))
	if err != nil {
		t.Fatal(err)
	}
	for _, desk := range []*session.Desk{r.desk, session.NewDesk()} {
		r.desk = desk
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				_, err := r.save(tt.as, s.ID, answer(r.item(0), 2, "null"))
				wantCode(t, err, tt.want)
				_, err = r.get(tt.as, s.ID)
				wantCode(t, err, tt.want)
				_, err = r.submit(tt.as, s.ID, nil)
				wantCode(t, err, tt.want)
				_, err = r.record(tt.as, s.ID, session.Event{Type: "copy"})
				wantCode(t, err, tt.want)
			})
		}
	}
	r.snapshot.EvaluationID = ids.New()
	_, err = r.save(r.candidate, s.ID, answer(r.item(0), 2, "null"))
	wantCode(t, err, errs.NotFound)
	_, err = r.save(r.candidate, ids.New(), answer(r.item(0), 2, "null"))
	wantCode(t, err, errs.NotFound)
}
