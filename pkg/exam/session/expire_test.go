package session_test

import (
	"testing"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// expired checks that a session ended at its deadline with the saved answers.
func (r *room) expired(open ids.ID) {
	r.t.Helper()
	var state, method string
	var score float64
	var deadline, completed, ended time.Time
	r.scan(`select s.state, u.completion_method, u.score::float8, s.deadline_at, u.completed_at, s.ended_at
		from sessions s join submissions u using (tenant_id, id) where tenant_id = $1 and id = $2`, open,
		&state, &method, &score, &deadline, &completed, &ended)
	if state != "expired" || method != "auto_submitted" || score != 1 || !completed.Equal(deadline) || !ended.Equal(deadline) {
		r.t.Errorf("got state %s, method %s, score %v, deadline %v, completed %v, ended %v", state, method, score, deadline, completed, ended)
	}
}

// lateRoom has a session with one right answer whose time is over.
func lateRoom(t *testing.T, store *db.Store) (*room, session.Session) {
	t.Helper()
	r := newRoomIn(t, store, authoring.Settings{TimeLimitSeconds: ptr(60)}, sample.Choice("A"), sample.Choice("B"))
	s := r.start(r.candidate)
	_, err := r.save(r.candidate, s.ID, answer(r.item(0), 1, `{"optionIds":["A"]}`))
	if err != nil {
		t.Fatal(err)
	}
	r.overrun(s.ID)
	return r, s
}

func TestSubmitPastTheDeadlineEndsTheSessionAtTheDeadline(t *testing.T) {
	t.Parallel()
	r, s := lateRoom(t, sample.Store(t))
	result, err := r.submit(r.candidate, s.ID, ptr(int64(7)))
	if err != nil {
		t.Fatal(err)
	}
	if result.AlreadyComplete || *result.Score != 1 {
		t.Errorf("got %+v", result)
	}
	r.expired(s.ID)
	result, err = r.submit(r.candidate, s.ID, nil)
	if err != nil || !result.AlreadyComplete {
		t.Errorf("submitting again: %+v, %v", result, err)
	}
}

func TestJobExpiresOverdueSessionsOfAllTenantsAndNoOthers(t *testing.T) {
	t.Parallel()
	// The job looks at every tenant, so it gets a database without other tests.
	store := dbtest.Open(t, db.Options{URL: dbtest.Fresh(t).App, MaxConns: 4})
	r1, late1 := lateRoom(t, store)
	r2, late2 := lateRoom(t, store)
	inTime := r1.start(r1.candidate)
	worker := session.NewExpireWorker(r1.store, session.NewDesk())
	together(3, func(int) {
		err := worker.Work(t.Context(), nil)
		if err != nil {
			t.Error(err)
		}
	})
	r1.expired(late1.ID)
	r2.expired(late2.ID)
	now, err := r1.get(r1.candidate, inTime.ID)
	if err != nil || now.State != "open" {
		t.Errorf("the session in time: state %s, %v", now.State, err)
	}
	var by string
	r1.scan("select submitted_by from submissions where tenant_id = $1 and id = $2", late1.ID, &by)
	if by != "system:expiry" {
		t.Errorf("got submitted by %s, want system:expiry", by)
	}
}

func TestExpireNeedsProctoringAndAnOverdueSession(t *testing.T) {
	t.Parallel()
	r, s := lateRoom(t, sample.Store(t))
	try := func(as db.Scope, open ids.ID) (bool, error) {
		var done bool
		err := r.store.Write(t.Context(), as, func(tx *db.Tx) error {
			var err error
			done, err = r.desk.Expire(t.Context(), tx, open)
			return err
		})
		return done, err
	}
	_, err := try(r.candidate, s.ID)
	wantCode(t, err, errs.Forbidden)
	proctor := r.person(capability.SessionsProctor)
	_, err = try(proctor, ids.New())
	wantCode(t, err, errs.NotFound)
	for _, want := range []bool{true, false} {
		done, err := try(proctor, s.ID)
		if err != nil || done != want {
			t.Errorf("got %v, %v; want %v", done, err, want)
		}
	}
	done, err := try(proctor, r.start(r.candidate).ID)
	if err != nil || done {
		t.Errorf("a session in time: got %v, %v", done, err)
	}
}
