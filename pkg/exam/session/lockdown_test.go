package session_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func (r *room) probe(as db.Scope, open ids.ID, header string) (session.Probe, error) {
	var got session.Probe
	err := r.store.Read(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		got, err = r.desk.ProbeLockdown(r.t.Context(), tx, session.ProbeInput{
			EvaluationID: r.snapshot.EvaluationID, SessionID: open, Lockdown: header})
		return err
	})
	return got, err
}

func (r *room) saveLocked(as db.Scope, open ids.ID, header string) error {
	return r.store.Write(r.t.Context(), as, func(tx *db.Tx) error {
		_, err := r.desk.Save(r.t.Context(), tx, session.SaveInput{EvaluationID: r.snapshot.EvaluationID, SessionID: open,
			Lockdown: header, Answers: []session.Answer{answer(r.item(0), 1, choseA)}})
		return err
	})
}

func TestLockdownIsProbedAndHeld(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{Lockdown: authoring.Lockdown{Required: true, AllowPaste: true, AllowFullscreenExit: true}}, sample.Choice("A"))
	s := r.start(r.candidate)
	for header, want := range map[string]session.Probe{
		"":     {Required: true, Demands: []string{"focus_loss", "copy"}, Prevents: []string{}, Missing: []string{"focus_loss", "copy"}},
		"Copy": {Required: true, Demands: []string{"focus_loss", "copy"}, Prevents: []string{"copy"}, Missing: []string{"focus_loss"}},
		"paste, focus_loss,copy,": {Required: true, Demands: []string{"focus_loss", "copy"},
			Prevents: []string{"paste", "focus_loss", "copy"}, Missing: []string{}, Fulfilled: true},
	} {
		got, err := r.probe(r.candidate, s.ID, header)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", header, diff)
		}
		err = r.saveLocked(r.candidate, s.ID, header)
		if want.Fulfilled != (err == nil) || err != nil && errs.Of(err).Code != errs.LockdownRequired {
			t.Errorf("%q: save says %v", header, err)
		}
	}
	// Who answers for somebody else has no browser to lock.
	if err := r.saveLocked(r.person(capability.SessionsProctor), s.ID, ""); err != nil {
		t.Error(err)
	}
}

func TestLockdownThatIsNotRequiredRefusesNobody(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	s := r.start(r.candidate)
	got, err := r.probe(r.candidate, s.ID, "")
	if err != nil || got.Required || !got.Fulfilled || len(got.Missing) != 4 {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := r.saveLocked(r.candidate, s.ID, ""); err != nil {
		t.Error(err)
	}
	_, err = r.probe(r.person(capability.SessionsTake), s.ID, "")
	wantCode(t, err, errs.NotFound)
}
