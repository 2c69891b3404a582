package projection

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// While a rebuild stands still after each of its steps, people go on: they start, submit,
// mark and void, and nobody waits for it. The batches after it make of both what a rebuild of
// the new state makes.
func TestWorkGoesOnDuringARebuild(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	store := newStore(t, urls)
	gate := connect(t, urls.Super)
	do(t, gate, `create function gate() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(7); return null; end $$;
		alter function gate() owner to assess_owner; grant execute on function gate() to assess_app`)
	for _, table := range []string{"report_item_attempt_choice", "report_submissions", "report_session_starts", "report_evaluation_people",
		"report_evaluation_durations", "report_question_day", "report_question_tags", "report_question_health_by_run"} {
		t.Run("after "+table, func(t *testing.T) {
			w := newWorld(t, store)
			w.assign(t)
			all := submitted(t, w, 6)
			begun := all[0]
			begun.id, begun.state = ids.New(), "open"
			w.write(t, func(ctx context.Context, tx *db.Tx) error { return w.start(ctx, tx, begun) })
			w.drain(t, 100)
			do(t, gate, "create trigger gate after insert on "+table+" for each statement execute function gate(); select pg_advisory_lock(7)")
			rebuilt := make(chan error)
			go func() { rebuilt <- Rebuild(context.WithoutCancel(t.Context()), store, w.tenant, nil) }()
			awaitGate(t, gate, rebuilt)
			w.write(t, func(ctx context.Context, tx *db.Tx) error { return w.void(ctx, tx, all[1].id) })
			w.write(t, func(ctx context.Context, tx *db.Tx) error {
				answers := all[2].answers
				answers[0].score = 0
				all[2].outcome = "fail"
				return w.correct(ctx, tx, all[2], answers[:1])
			})
			w.write(t, func(ctx context.Context, tx *db.Tx) error { return w.submit(ctx, tx, begun) })
			submitted(t, w, 2)
			do(t, gate, "select pg_advisory_unlock(7)")
			err := <-rebuilt
			if err != nil {
				t.Fatal(err)
			}
			do(t, gate, "drop trigger gate on "+table)
			w.drain(t, 3)
			if r := w.verify(t); r.Differences != 0 {
				t.Errorf("the tables differ from a rebuild: %+v", r)
			}
		})
	}
}

// awaitGate returns once the rebuild stands before the gate.
func awaitGate(t *testing.T, gate *pgx.Conn, rebuilt <-chan error) {
	t.Helper()
	for waiting := 0; waiting == 0; {
		err := gate.QueryRow(t.Context(), "select count(*) from pg_locks where locktype = 'advisory' and objid = 7 and not granted").Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-rebuilt:
			t.Fatalf("the rebuild passed the gate: %v", err)
		case <-time.After(time.Millisecond):
		}
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

func do(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
}
