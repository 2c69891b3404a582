package session_test

import (
	"testing"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// idle lets nothing happen in a session for so many hours.
func (r *room) idle(open ids.ID, hours int) {
	r.t.Helper()
	r.exec(`update sessions set started_at = later_by(started_at, -3600.0 * $2), last_activity_at = later_by(last_activity_at, -3600.0 * $2)
		where id = $1`, open, hours)
}

func TestJobAbandonsIdleSessionsOfAllTenantsAndNoOthers(t *testing.T) {
	t.Parallel()
	// The job looks at every tenant, so it gets a database without other tests.
	store := dbtest.Open(t, db.Options{URL: dbtest.Fresh(t).App, MaxConns: 4})
	one := newRoomIn(t, store, authoring.Settings{}, sample.Choice("A"))
	two := newRoomIn(t, store, authoring.Settings{}, sample.Choice("A"))
	timed := newRoomIn(t, store, authoring.Settings{TimeLimitSeconds: ptr(1_000_000)}, sample.Choice("A"))
	first, second, inTime := one.start(one.candidate), two.start(two.candidate), timed.start(timed.candidate)
	if _, err := one.save(one.candidate, first.ID, answer(one.item(0), 1, choseA)); err != nil {
		t.Fatal(err)
	}
	busy, fresh := one.start(one.candidate), one.start(one.candidate)
	one.idle(first.ID, 30)
	two.idle(second.ID, 30)
	timed.idle(inTime.ID, 30)
	one.idle(busy.ID, 30)
	if _, err := one.save(one.candidate, busy.ID, answer(one.item(0), 1, choseA)); err != nil {
		t.Fatal(err)
	}
	worker := &session.AbandonWorker{Store: store, After: 24 * time.Hour}
	together(3, func(int) {
		err := worker.Work(t.Context(), nil)
		if err != nil {
			t.Error(err)
		}
	})
	for _, is := range []struct {
		r    *room
		open ids.ID
		want string
	}{{one, first.ID, "abandoned"}, {two, second.ID, "abandoned"}, {timed, inTime.ID, "open"}, {one, busy.ID, "open"}, {one, fresh.ID, "open"}} {
		now, err := is.r.get(is.r.candidate, is.open)
		if err != nil || now.State != is.want {
			t.Errorf("got %s, %v; want %s", now.State, err, is.want)
		}
	}
	left, err := one.get(one.candidate, first.ID)
	if err != nil || len(left.Answers) != 1 {
		t.Errorf("what was saved can be read: %+v, %v", left.Answers, err)
	}
	_, err = one.save(one.candidate, first.ID, answer(one.item(0), 2, choseA))
	wantCode(t, err, errs.SessionNotOpen)
	_, err = one.submit(one.candidate, first.ID, nil)
	wantCode(t, err, errs.SessionNotOpen)
	_, err = one.resume(one.candidate, first.ID)
	wantCode(t, err, errs.SessionNotOpen)
	var outbox int
	one.scan("select count(*) from projection_outbox where tenant_id = $1 and subject_id = $2 and kind = 'session'", first.ID, &outbox)
	if outbox != 2 {
		t.Errorf("%d outbox rows, want start and end, each once", outbox)
	}
}

// A candidate who comes back at the last moment is not given up.
func TestAbandonAgainstSave(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	for range 10 {
		s := r.start(r.candidate)
		r.idle(s.ID, 30)
		var saved error
		var gone int
		together(2, func(i int) {
			if i == 0 {
				_, saved = r.save(r.candidate, s.ID, answer(r.item(0), 1, choseA))
				return
			}
			err := r.store.Write(t.Context(), r.operator, func(tx *db.Tx) error {
				var err error
				gone, err = session.Abandon(t.Context(), tx, []ids.ID{s.ID}, tx.Now().Add(-24*time.Hour))
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
		now, err := r.get(r.candidate, s.ID)
		if err != nil || (saved == nil) == (gone == 1) || (now.State == "open") != (saved == nil) {
			t.Fatalf("save: %v, abandoned %d, state %s (%v)", saved, gone, now.State, err)
		}
	}
	err := r.store.Write(t.Context(), r.candidate, func(tx *db.Tx) error {
		_, err := session.Abandon(t.Context(), tx, nil, tx.Now())
		return err
	})
	wantCode(t, err, errs.Forbidden)
}
