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

func (r *room) resume(as db.Scope, open ids.ID) (session.Session, error) {
	var s session.Session
	err := r.store.Write(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		s, err = r.desk.Resume(r.t.Context(), tx, session.ResumeInput{EvaluationID: r.snapshot.EvaluationID, SessionID: open})
		return err
	})
	return s, err
}

// saveFrom saves as the device with a view.
func (r *room) saveFrom(as db.Scope, open ids.ID, view int, answers ...session.Answer) (session.Receipt, error) {
	var receipt session.Receipt
	err := r.store.Write(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		receipt, err = r.desk.Save(r.t.Context(), tx, session.SaveInput{
			EvaluationID: r.snapshot.EvaluationID, SessionID: open, View: &view, Answers: answers})
		return err
	})
	return receipt, err
}

func (r *room) submitFrom(as db.Scope, open ids.ID, view *int) (session.SubmitResult, error) {
	var result session.SubmitResult
	err := r.store.Write(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		result, err = r.desk.Submit(r.t.Context(), tx, session.SubmitInput{
			EvaluationID: r.snapshot.EvaluationID, SessionID: open, View: view})
		return err
	})
	return result, err
}

func TestTheNewestDeviceAloneWrites(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"), sample.Choice("B"))
	s := r.start(r.candidate)
	receipt, err := r.save(r.candidate, s.ID, answer(r.item(0), 1, `{"optionIds":["A"]}`))
	if err != nil {
		t.Fatal(err)
	}
	taken, err := r.resume(r.candidate, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	if s.View != 1 || taken.View != 2 || taken.Revision != 1 || taken.SHA256 != receipt.SHA256 || len(taken.Answers) != 1 {
		t.Fatalf("started with view %d, took over %+v", s.View, taken)
	}
	// The old device says view 1 or, written before there were views, nothing.
	_, err = r.save(r.candidate, s.ID, answer(r.item(1), 1, `{"optionIds":["B"]}`))
	wantCode(t, err, errs.SessionSuperseded)
	if got := errs.Of(err).Details["view"]; got != 2 {
		t.Errorf("details name view %v, want 2", got)
	}
	_, err = r.saveFrom(r.candidate, s.ID, 1, answer(r.item(1), 1, `{"optionIds":["B"]}`))
	wantCode(t, err, errs.SessionSuperseded)
	_, err = r.record(r.candidate, s.ID, session.Event{Type: "copy"})
	wantCode(t, err, errs.SessionSuperseded)
	_, err = r.submit(r.candidate, s.ID, nil)
	wantCode(t, err, errs.SessionSuperseded)
	now, err := r.get(r.candidate, s.ID)
	if err != nil || now.Revision != 1 || len(now.Answers) != 1 || now.State != "open" {
		t.Fatalf("the old device changed the session: %+v, %v", now, err)
	}
	_, err = r.saveFrom(r.candidate, s.ID, 2, answer(r.item(1), 1, `{"optionIds":["B"]}`))
	if err != nil {
		t.Fatal(err)
	}
	done, err := r.submitFrom(r.candidate, s.ID, ptr(2))
	if err != nil || *done.Score != 2 {
		t.Fatalf("got %+v, %v", done, err)
	}
	// A session that is over is over for every device.
	again, err := r.submit(r.candidate, s.ID, nil)
	if err != nil || !again.AlreadyComplete {
		t.Errorf("the old device submits again: %+v, %v", again, err)
	}
	_, err = r.resume(r.candidate, s.ID)
	wantCode(t, err, errs.SessionNotOpen)
}

func TestProctorSubmitsWhateverDeviceWrites(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	proctor := r.person(capability.SessionsProctor)
	s := r.start(r.candidate)
	if _, err := r.resume(r.candidate, s.ID); err != nil {
		t.Fatal(err)
	}
	_, err := r.submitFrom(proctor, s.ID, ptr(1))
	wantCode(t, err, errs.SessionSuperseded)
	_, err = r.submit(proctor, s.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	var method, by string
	r.scan("select completion_method, submitted_by from submissions where tenant_id = $1 and id = $2", s.ID, &method, &by)
	if method != "proctor_submitted" || by != proctor.Actor.String() {
		t.Errorf("got %s by %s, want proctor_submitted by %s", method, by, proctor.Actor)
	}
}

// An old device that saves while another takes over: an acknowledged save is among the answers that
// the other one got, and a save without acknowledgement is nowhere.
func TestResumeAgainstSaveHasOneOutcome(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	for range 20 {
		s := r.start(r.candidate)
		var saved int64
		var taken session.Session
		together(2, func(i int) {
			if i == 0 {
				var err error
				taken, err = r.resume(r.candidate, s.ID)
				if err != nil {
					t.Error(err)
				}
				return
			}
			for n := int64(1); n <= 5; n++ {
				_, err := r.save(r.candidate, s.ID, answer(r.item(0), n, `{"optionIds":["A"]}`))
				if err != nil {
					if errs.Of(err).Code != errs.SessionSuperseded {
						t.Error(err)
					}
					return
				}
				saved = n
			}
		})
		var got int64
		if len(taken.Answers) == 1 {
			got = taken.Answers[0].Sequence
		}
		now, err := r.get(r.candidate, s.ID)
		if err != nil || got != saved || taken.Revision != saved || now.Revision != saved {
			t.Fatalf("acknowledged up to %d, taken over with %d at revision %d, now %d (%v)", saved, got, taken.Revision, now.Revision, err)
		}
	}
}

// A submit of the old device that reads before a take-over and writes after it must not
// end the session: with many rounds the two meet in every order.
func TestResumeAgainstSubmitHasOneOutcome(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	for range 20 {
		s := r.start(r.candidate)
		var took, ended error
		together(2, func(i int) {
			if i == 0 {
				_, took = r.resume(r.candidate, s.ID)
			} else {
				_, ended = r.submit(r.candidate, s.ID, nil)
			}
		})
		state := "open"
		if ended == nil {
			wantCode(t, took, errs.SessionNotOpen)
			state = "submitted"
		} else {
			wantCode(t, ended, errs.SessionSuperseded)
		}
		now, err := r.get(r.candidate, s.ID)
		if err != nil || now.State != state || (took == nil) == (ended == nil) {
			t.Fatalf("resume: %v, submit: %v, state %s (%v)", took, ended, now.State, err)
		}
	}
}
