package session_test

import (
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// room is a tenant with a published evaluation, a desk and a candidate.
type room struct {
	t         *testing.T
	store     *db.Store
	desk      *session.Desk
	operator  db.Scope
	candidate db.Scope
	snapshot  authoring.Snapshot
}

func newRoom(t *testing.T, settings authoring.Settings, keys ...scoring.Key) *room {
	t.Helper()
	return newRoomIn(t, sample.Store(t), settings, keys...)
}

func newRoomIn(t *testing.T, store *db.Store, settings authoring.Settings, keys ...scoring.Key) *room {
	t.Helper()
	r := &room{t: t, store: store, desk: session.NewDesk(), operator: sample.Tenant(t, store)}
	sample.Write(t, store, r.operator, func(tx *db.Tx) error {
		r.snapshot = sample.Published(t, tx, settings, keys...)
		return nil
	})
	r.candidate = r.person(capability.SessionsTake)
	return r
}

// person makes a user of the room's org unit who holds the capabilities.
func (r *room) person(holds ...capability.Capability) db.Scope {
	r.t.Helper()
	var id ids.ID
	sample.Write(r.t, r.store, r.operator, func(tx *db.Tx) error {
		id = sample.User(r.t, tx).ID
		return nil
	})
	return sample.As(r.operator, id, holds...)
}

// item gives the id of the item at a position.
func (r *room) item(position int) ids.ID { return r.snapshot.Sections[0].Items[position].ItemID }

func (r *room) start(as db.Scope) session.Session {
	r.t.Helper()
	s, err := r.tryStart(as, session.StartInput{EvaluationID: r.snapshot.EvaluationID})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

func (r *room) tryStart(as db.Scope, in session.StartInput) (session.Session, error) {
	var s session.Session
	err := r.store.Write(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		s, err = r.desk.Start(r.t.Context(), tx, in)
		return err
	})
	return s, err
}

func (r *room) save(as db.Scope, open ids.ID, answers ...session.Answer) (session.Receipt, error) {
	var receipt session.Receipt
	err := r.store.WriteShort(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		receipt, err = r.desk.Save(r.t.Context(), tx, session.SaveInput{
			EvaluationID: r.snapshot.EvaluationID, SessionID: open, Answers: answers})
		return err
	})
	return receipt, err
}

func (r *room) submit(as db.Scope, open ids.ID, revision *int64) (session.SubmitResult, error) {
	var result session.SubmitResult
	err := r.store.Write(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		result, err = r.desk.Submit(r.t.Context(), tx, session.SubmitInput{
			EvaluationID: r.snapshot.EvaluationID, SessionID: open, Revision: revision})
		return err
	})
	return result, err
}

func (r *room) get(as db.Scope, open ids.ID) (session.Session, error) {
	var s session.Session
	err := r.store.Read(r.t.Context(), as, func(tx *db.Tx) error {
		var err error
		s, err = r.desk.Get(r.t.Context(), tx, session.GetInput{EvaluationID: r.snapshot.EvaluationID, SessionID: open})
		return err
	})
	return s, err
}

// exec changes rows as the operator.
func (r *room) exec(sql string, args ...any) {
	r.t.Helper()
	sample.Write(r.t, r.store, r.operator, func(tx *db.Tx) error {
		dbtest.AllNodes(r.t, tx)
		_, err := tx.Exec(r.t.Context(), sql, args...)
		return err
	})
}

// scan reads one row as the operator.
func (r *room) scan(sql string, id ids.ID, into ...any) {
	r.t.Helper()
	err := r.store.Read(r.t.Context(), r.operator, func(tx *db.Tx) error {
		dbtest.AllNodes(r.t, tx)
		return tx.QueryRow(r.t.Context(), sql, tx.Tenant(), id).Scan(into...)
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// overrun lets the time of a session run out a minute ago.
func (r *room) overrun(open ids.ID) {
	r.t.Helper()
	r.exec(`update sessions set started_at = later_by(started_at, -7200), deadline_at = now() - interval '1 minute'
		where id = $1`, open)
}

func answer(item ids.ID, sequence int64, response string) session.Answer {
	return session.Answer{ItemID: item, Sequence: sequence, Response: json.RawMessage(response)}
}

func wantCode(t *testing.T, err error, want errs.Code) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want code %s", err, want)
	}
}

// together runs fn n times at once and waits.
func together(n int, fn func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { fn(i) })
	}
	wg.Wait()
}

func ptr[T any](v T) *T { return &v }
