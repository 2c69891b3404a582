package session_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func (r *room) record(as db.Scope, open ids.ID, events ...session.Event) (session.EventsResult, error) {
	var result session.EventsResult
	err := r.store.WriteShort(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		result, err = r.desk.RecordEvents(r.t.Context(), tx, session.EventsInput{
			EvaluationID: r.snapshot.EvaluationID, SessionID: open, Events: events})
		return err
	})
	return result, err
}

func TestEventsAreKeptOnceWithinTheSession(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	s := r.start(r.candidate)
	var batch []session.Event
	for _, kind := range session.EventTypes {
		batch = append(batch, session.Event{ID: ptr(ids.New()), Type: kind})
	}
	batch[0].OccurredAt = ptr(s.StartedAt.Add(-time.Hour))
	batch[1].OccurredAt = ptr(s.StartedAt.Add(1000 * time.Hour))
	for range 2 {
		got, err := r.record(r.candidate, s.ID, batch...)
		if err != nil {
			t.Fatal(err)
		}
		if got.Accepted != len(batch) {
			t.Errorf("got %d accepted, want %d", got.Accepted, len(batch))
		}
	}
	var n, outside int
	r.scan(`select count(*), count(*) filter (where occurred_at not between s.started_at and clock_timestamp())
		from session_events e join sessions s on s.tenant_id = e.tenant_id and s.id = e.session_id
		where e.tenant_id = $1 and e.session_id = $2`, s.ID, &n, &outside)
	if n != len(batch) || outside != 0 {
		t.Errorf("got %d events, %d outside the session; want %d and 0", n, outside, len(batch))
	}
}

func TestUnknownEventsAreRefusedAllAtOnce(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	s := r.start(r.candidate)
	_, err := r.record(r.candidate, s.ID, session.Event{Type: "copy"}, session.Event{Type: "screenshot"}, session.Event{})
	wantCode(t, err, errs.ValidationFailed)
	var got []string
	for _, f := range errs.Of(err).Fields {
		got = append(got, f.Path+" "+f.Code)
	}
	want := []string{"events[1].type unknown_event_type", "events[2].type unknown_event_type"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	for _, n := range []int{0, 501} {
		_, err = r.record(r.candidate, s.ID, make([]session.Event, n)...)
		wantCode(t, err, errs.ValidationFailed)
	}
}

// A session is sent ten thousand events at most, including the ones that were sent twice; saving goes on.
func TestASessionHasAMostOfEvents(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	s := r.start(r.candidate)
	batch := make([]session.Event, 500)
	for i := range batch {
		batch[i] = session.Event{ID: ptr(ids.New()), Type: "heartbeat"}
	}
	for range 19 {
		if _, err := r.record(r.candidate, s.ID, batch...); err != nil {
			t.Fatal(err)
		}
	}
	for i := range batch {
		batch[i].ID = ptr(ids.New())
	}
	if _, err := r.record(r.candidate, s.ID, batch[1:]...); err != nil {
		t.Fatal(err)
	}
	_, err := r.record(r.candidate, s.ID, batch[:2]...)
	wantCode(t, err, errs.TooManyEvents)
	if got := errs.Of(err).Details["most"]; got != 10_000 {
		t.Errorf("the most is %v", got)
	}
	if _, err := r.record(r.candidate, s.ID, batch[0]); err != nil {
		t.Errorf("the last one: %v", err)
	}
	_, err = r.record(r.candidate, s.ID, batch[0])
	wantCode(t, err, errs.TooManyEvents)
	var n int
	r.scan("select count(*) from session_events where tenant_id = $1 and session_id = $2", s.ID, &n)
	if n != 1000 {
		t.Errorf("%d events are kept, want 1000", n)
	}
	if _, err := r.submit(r.candidate, s.ID, nil); err != nil {
		t.Error(err)
	}
}

func TestOnlyAnOpenSessionTakesEvents(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	s := r.start(r.candidate)
	_, err := r.submit(r.candidate, s.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.record(r.candidate, s.ID, session.Event{Type: "focus_lost"})
	wantCode(t, err, errs.SessionNotOpen)
}
