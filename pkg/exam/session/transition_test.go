package session_test

import (
	"fmt"
	"testing"
	"time"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// triggers do what the transitions are named after.
var triggers = map[string]func(r *room, open ids.ID) error{
	"submit": func(r *room, open ids.ID) error {
		_, err := r.submit(r.candidate, open, nil)
		return err
	},
	"time limit passes": func(r *room, open ids.ID) error {
		r.exec("update sessions set deadline_at = started_at where id = $1 and state = 'open'", open)
		return r.store.Write(r.t.Context(), r.operator, func(tx *db.Tx) error {
			_, err := r.desk.Expire(r.t.Context(), tx, open)
			return err
		})
	},
	"person is forgotten": func(r *room, open ids.ID) error {
		return r.store.Write(r.t.Context(), db.System(r.operator.Tenant, "compliance"), func(tx *db.Tx) error {
			_, err := session.EndOf(r.t.Context(), tx, r.candidate.Actor.ID)
			return err
		})
	},
	"proctor closes": func(r *room, open ids.ID) error {
		_, err := r.close(r.operator, open, "because")
		return err
	},
	"evaluation is archived": func(r *room, _ ids.ID) error {
		return r.store.Write(r.t.Context(), r.operator, func(tx *db.Tx) error {
			_, err := session.CloseSessions(r.t.Context(), tx, []ids.ID{r.snapshot.EvaluationID})
			return err
		})
	},
	"idle without a deadline": func(r *room, open ids.ID) error {
		r.idle(open, 30)
		return r.store.Write(r.t.Context(), r.operator, func(tx *db.Tx) error {
			_, err := session.Abandon(r.t.Context(), tx, []ids.ID{open}, tx.Now().Add(-24*time.Hour))
			return err
		})
	},
}

// inState starts a session and brings it there, with one answer.
func (r *room) inState(state string) ids.ID {
	r.t.Helper()
	s := r.start(r.candidate)
	if _, err := r.save(r.candidate, s.ID, answer(r.item(0), 1, choseA)); err != nil {
		r.t.Fatal(err)
	}
	for _, tr := range session.Transitions {
		if tr.From == models.SessionOpen && tr.To == state {
			if err := triggers[tr.By](r, s.ID); err != nil {
				r.t.Fatal(err)
			}
			return s.ID
		}
	}
	return s.ID
}

// Every transition of the table happens, and from every state everything else changes
// nothing (specification, section 3).
func TestSessionTransitions(t *testing.T) {
	t.Parallel()
	for _, from := range []string{models.SessionOpen, models.SessionSubmitted, models.SessionExpired, models.SessionClosed, models.SessionAbandoned} {
		for by, trigger := range triggers {
			want := from
			for _, tr := range session.Transitions {
				if tr.From == from && tr.By == by {
					want = tr.To
				}
			}
			t.Run(fmt.Sprintf("%s, %s: %s", from, by, want), func(t *testing.T) {
				t.Parallel()
				r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
				open := r.inState(from)
				err := trigger(r, open)
				if err != nil && (want != from || errs.Of(err).Code != errs.SessionNotOpen) {
					t.Error(err)
				}
				r.endedAs(open, want)
			})
		}
	}
	for _, tr := range session.Transitions {
		if tr.From != "" && triggers[tr.By] == nil {
			t.Errorf("no test brings about %q", tr.By)
		}
	}
}

// endedAs checks state, answer and submission of a session.
func (r *room) endedAs(open ids.ID, state string) {
	r.t.Helper()
	now, err := r.get(r.candidate, open)
	if err != nil || now.State != state || len(now.Answers) != 1 {
		r.t.Errorf("got state %s with %d answers (%v), want %s", now.State, len(now.Answers), err, state)
	}
	var submissions int
	r.scan("select count(*) from submissions where tenant_id = $1 and id = $2 and status = 'completed'", open, &submissions)
	want := 0
	if state == models.SessionSubmitted || state == models.SessionExpired {
		want = 1
	}
	if submissions != want {
		r.t.Errorf("%s: %d submissions, want %d", state, submissions, want)
	}
}

// An ended session takes nothing any more (specification, sections 3 and 7.11).
func TestEndedSessionSavesNothing(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	for _, state := range []string{models.SessionSubmitted, models.SessionExpired, models.SessionClosed, models.SessionAbandoned} {
		open := r.inState(state)
		_, err := r.save(r.candidate, open, answer(r.item(0), 2, "null"))
		wantCode(t, err, errs.SessionNotOpen)
		if got := errs.Of(err).Details["state"]; got != state {
			t.Errorf("%s: details say %v", state, got)
		}
		_, err = r.record(r.candidate, open, session.Event{Type: "copy"})
		wantCode(t, err, errs.SessionNotOpen)
		_, err = r.resume(r.candidate, open)
		wantCode(t, err, errs.SessionNotOpen)
		_, err = r.extend(r.operator, open, 60)
		wantCode(t, err, errs.SessionNotOpen)
		_, err = r.startSection(open, 0)
		wantCode(t, err, errs.SessionNotOpen)
		done, err := r.submit(r.candidate, open, nil)
		switch state {
		case models.SessionSubmitted, models.SessionExpired:
			if err != nil || !done.AlreadyComplete {
				t.Errorf("%s: submitting again says %+v, %v", state, done, err)
			}
		default:
			wantCode(t, err, errs.SessionNotOpen)
		}
		r.endedAs(open, state)
	}
}
