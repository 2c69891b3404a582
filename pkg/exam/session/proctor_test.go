package session_test

import (
	"strings"
	"testing"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func (r *room) close(as db.Scope, open ids.ID, reason string) (session.Summary, error) {
	var got session.Summary
	err := r.store.Write(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		got, err = r.desk.Close(r.t.Context(), tx, session.CloseInput{EvaluationID: r.snapshot.EvaluationID, SessionID: open, Reason: reason})
		return err
	})
	return got, err
}

func (r *room) extend(as db.Scope, open ids.ID, seconds int) (session.Summary, error) {
	var got session.Summary
	err := r.store.Write(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		got, err = r.desk.Extend(r.t.Context(), tx, session.ExtendInput{EvaluationID: r.snapshot.EvaluationID, SessionID: open,
			ExtraTimeSeconds: seconds, Reason: "fire alarm"})
		return err
	})
	return got, err
}

// event gives the newest ledger event of a session, without its time.
func (r *room) event(open ids.ID) (kind, actor, payload string) {
	r.t.Helper()
	r.scan("select event_type, actor, payload::text from ledger_events where tenant_id = $1 and subject_id = $2 order by seq desc limit 1",
		open, &kind, &actor, &payload)
	return kind, actor, payload
}

func TestProctorClosesASession(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{MaxAttemptsPerUser: ptr(1)}, sample.Choice("A"))
	proctor := r.person(capability.SessionsProctor)
	s := r.start(r.candidate)
	if _, err := r.save(r.candidate, s.ID, answer(r.item(0), 1, choseA)); err != nil {
		t.Fatal(err)
	}
	_, err := r.close(r.candidate, s.ID, "no")
	wantCode(t, err, errs.Forbidden)
	_, err = r.close(proctor, s.ID, " ")
	wantCode(t, err, errs.ValidationFailed)
	got, err := r.close(proctor, s.ID, "Left the room.")
	if err != nil || got.State != "closed" || got.EndedAt == nil || got.Revision != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	kind, actor, payload := r.event(s.ID)
	if kind != "session.closed" || actor != proctor.Actor.String() || strings.Contains(payload, "room") {
		t.Errorf("the ledger has %s by %s: %s", kind, actor, payload)
	}
	now, err := r.get(proctor, s.ID)
	if err != nil || len(now.Answers) != 1 || len(now.Actions) != 1 || now.Actions[0].Reason != "Left the room." {
		t.Errorf("a proctor reads %+v, %v", now, err)
	}
	now, err = r.get(r.candidate, s.ID)
	if err != nil || now.State != "closed" || len(now.Answers) != 1 || now.Actions != nil {
		t.Errorf("the candidate reads %+v, %v", now, err)
	}
	_, err = r.close(proctor, s.ID, "again")
	wantCode(t, err, errs.SessionNotOpen)
	_, err = r.submit(r.candidate, s.ID, nil)
	wantCode(t, err, errs.SessionNotOpen)
	var submissions, outbox int
	r.scan(`select (select count(*) from submissions where tenant_id = $1 and id = $2),
		(select count(*) from projection_outbox where tenant_id = $1 and subject_id = $2)`, s.ID, &submissions, &outbox)
	if submissions != 0 || outbox != 2 {
		t.Errorf("%d submissions and %d outbox rows, want none and start and end", submissions, outbox)
	}
	r.start(r.candidate) // it was no attempt
}

func TestProctorExtendsASession(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{TimeLimitSeconds: ptr(600)}, sample.Choice("A"))
	proctor := r.person(capability.SessionsProctor)
	s := r.start(r.candidate)
	_, err := r.extend(r.candidate, s.ID, 60)
	wantCode(t, err, errs.Forbidden)
	_, err = r.extend(proctor, s.ID, 0)
	wantCode(t, err, errs.ValidationFailed)
	for range 2 {
		if _, err := r.extend(proctor, s.ID, 60); err != nil {
			t.Fatal(err)
		}
	}
	now, err := r.get(proctor, s.ID)
	if err != nil || now.DeadlineAt.Sub(*s.DeadlineAt) != 2*time.Minute || len(now.Actions) != 2 || *now.Actions[1].ExtraTimeSeconds != 60 {
		t.Errorf("got %+v, %v", now, err)
	}
	if kind, _, payload := r.event(s.ID); kind != "session.extended" || !strings.Contains(payload, `"extraTimeSeconds": 60`) {
		t.Errorf("the ledger has %s: %s", kind, payload)
	}
	r.overrun(s.ID)
	_, err = r.extend(proctor, s.ID, 60)
	wantCode(t, err, errs.SessionNotOpen)
	_, err = r.close(proctor, s.ID, "too late")
	wantCode(t, err, errs.SessionNotOpen)
	if got := errs.Of(err).Details["state"]; got != "expired" {
		t.Errorf("details say %v, want expired", got)
	}
}

// Proctors who take an exam cannot give themselves more time or another attempt.
func TestNobodyProctorsTheirOwnSession(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{TimeLimitSeconds: ptr(600), MaxAttemptsPerUser: ptr(1)}, sample.Choice("A"))
	proctor, colleague := r.person(capability.SessionsTake, capability.SessionsProctor), r.person(capability.SessionsProctor)
	s := r.start(proctor)
	_, err := r.extend(proctor, s.ID, 60)
	wantCode(t, err, errs.FourEyesRequired)
	_, err = r.close(proctor, s.ID, "again")
	wantCode(t, err, errs.FourEyesRequired)
	self := proctor.Actor.ID
	_, err = r.tryStart(proctor, session.StartInput{EvaluationID: r.snapshot.EvaluationID, UserID: &self})
	wantCode(t, err, errs.AttemptLimitReached)
	_, err = r.extend(colleague, s.ID, 60)
	if err != nil {
		t.Error(err)
	}
	_, err = r.close(r.operator, s.ID, "the command line")
	if err != nil {
		t.Error(err)
	}
}

func TestExtendNeedsATimeLimit(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	proctor := r.person(capability.SessionsProctor)
	s := r.start(r.candidate)
	_, err := r.extend(proctor, s.ID, 60)
	wantCode(t, err, errs.NoTimeLimit)
	if _, err = r.startSection(s.ID, 0); err != nil {
		t.Fatal(err)
	}
	_, err = r.extend(proctor, s.ID, 60)
	wantCode(t, err, errs.NoTimeLimit)
	timed := timedRoom(t, "free")
	s = timed.start(timed.candidate)
	got, err := timed.extend(timed.operator, s.ID, 60)
	if err != nil || got.DeadlineAt != nil || got.ExtraTimeSeconds != 60 {
		t.Fatalf("got %+v, %v", got, err)
	}
	now, err := timed.get(timed.candidate, s.ID)
	if err != nil || now.Sections[0].DeadlineAt.Sub(*s.Sections[0].DeadlineAt) != time.Minute {
		t.Errorf("the section that runs got no time: %+v, %v", now.Sections[0], err)
	}
}

func TestProctorActionsAreNotForOthers(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{TimeLimitSeconds: ptr(600)}, sample.Choice("A"))
	s := r.start(r.candidate)
	stranger := sample.As(sample.Tenant(t, r.store), ids.New(), capability.SessionsProctor)
	_, err := r.close(stranger, s.ID, "no")
	wantCode(t, err, errs.NotFound)
	_, err = r.extend(stranger, s.ID, 60)
	wantCode(t, err, errs.NotFound)
	r.snapshot.EvaluationID = ids.New()
	_, err = r.close(r.operator, s.ID, "another evaluation")
	wantCode(t, err, errs.NotFound)
}

// An operator moves the start of a session back, once and before its first answer; the ledger says so.
func TestAnOperatorRewindsASession(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	s := r.start(r.candidate)
	rewind := func(who db.Scope, took time.Duration) error {
		return r.store.Write(t.Context(), who, func(tx *db.Tx) error { return session.Rewind(t.Context(), tx, s.ID, took) })
	}
	wantCode(t, rewind(r.person(capability.SessionsProctor), time.Hour), errs.Forbidden)
	wantCode(t, rewind(r.operator, -time.Hour), errs.Forbidden)
	for range 2 {
		if err := rewind(r.operator, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	now, err := r.get(r.operator, s.ID)
	if err != nil || s.StartedAt.Sub(now.StartedAt) != time.Hour {
		t.Errorf("got %+v, %v", now, err)
	}
	if kind, _, payload := r.event(s.ID); kind != "session.rewound" || !strings.Contains(payload, `"seconds": 3600`) {
		t.Errorf("the ledger has %s: %s", kind, payload)
	}
}
