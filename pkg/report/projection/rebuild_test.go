package projection

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// While a rebuild pauses after each of its steps, people go on: they start, submit, mark and void,
// and nobody waits for it. The batches after it turn both into the tables that a rebuild of the new
// state makes.
func TestWorkGoesOnDuringARebuild(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	store := newStore(t, urls)
	super := connect(t, urls.Super)
	do(t, super, "create function gate() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(7); return null; end $$")
	do(t, super, "alter function gate() owner to assess_owner")
	do(t, super, "grant execute on function gate() to assess_app")
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
			do(t, super, "create trigger gate after insert on "+table+" for each statement execute function gate()")
			var rebuilt <-chan error
			w.write(t, func(ctx context.Context, tx *db.Tx) error {
				// Read together with a row of the tenant, so that the lock is where the trigger fires.
				_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(7) from org_units where tenant_id = $1 and id = $2", w.tenant, w.orgs[0])
				if err != nil {
					return err
				}
				rebuilt = sample.Blocked(t, tx, func() error { return Rebuild(context.WithoutCancel(t.Context()), store, w.tenant, nil) })
				w.write(t, func(ctx context.Context, tx *db.Tx) error { return w.void(ctx, tx, all[1].id) })
				w.write(t, func(ctx context.Context, tx *db.Tx) error {
					answers := all[2].answers
					answers[0].score = 0
					all[2].outcome = "fail"
					return w.correct(ctx, tx, all[2], answers[:1])
				})
				w.write(t, func(ctx context.Context, tx *db.Tx) error { return w.submit(ctx, tx, begun) })
				submitted(t, w, 2)
				return nil
			})
			err := <-rebuilt
			if err != nil {
				t.Fatal(err)
			}
			do(t, super, "drop trigger gate on "+table)
			w.drain(t, 3)
			if r := w.verify(t); r.Differences != 0 {
				t.Errorf("the tables differ from a rebuild: %+v", r)
			}
		})
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
