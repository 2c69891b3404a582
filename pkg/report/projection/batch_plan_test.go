package projection

import (
	"context"
	"errors"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// manyWorlds copies all rows of a table, with other ids: the ids of one copy still belong together.
// Tenant and org unit stay.
const manyWorlds = `
select relname, format($copy$insert into %1$I select copy.* from generate_series(1, 2000) world, %1$I r,
	jsonb_populate_record(r, (select jsonb_object_agg(key, md5(world || value::text)::uuid) from jsonb_each(to_jsonb(r))
		where key not in ('tenant_id', 'org_unit_id') and value::text ~ '^"[0-9a-f-]{36}"$')) copy$copy$, relname)
from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
	and (relname like 'report\_%' or relname in ('sessions', 'session_events', 'submissions', 'submission_items', 'submission_telemetry_summary'))`

// In a tenant with two thousand times as many rows before and after them, a batch reads the rows of
// its subjects and of their questions' days, and takes the rows that waited longest without looking
// at the rows behind them.
func TestABatchReadsItsSubjectsAlone(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	w := newWorld(t, newStore(t, urls))
	again, fresh, begun := w.attempted(t), w.attempted(t), w.attempted(t)
	w.write(t, func(ctx context.Context, tx *db.Tx) error { return w.submit(ctx, tx, again) })
	w.drain(t, BatchSize)
	super := dbtest.Heap(t, urls)
	rows, err := super.Query(t.Context(), manyWorlds)
	if err != nil {
		t.Fatal(err)
	}
	tables, copies := []string{"projection_outbox"}, []string{}
	for rows.Next() {
		var table, sql string
		err = errors.Join(err, rows.Scan(&table, &sql))
		tables, copies = append(tables, table), append(copies, sql)
	}
	if err = errors.Join(err, rows.Err()); err != nil || len(copies) < 20 {
		t.Fatalf("%d tables to copy, %v", len(copies), err)
	}
	for _, sql := range copies {
		if _, err := super.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		err := errors.Join(w.void(ctx, tx, again.id), w.submit(ctx, tx, fresh), w.queue(ctx, tx, "session", begun.id))
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
			select $1, 'submission', gen_random_uuid(), $2 from generate_series(1, 20000)`, tx.Tenant(), tx.Now())
		return err
	})
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		undo := errors.New("so that the next plans find the same")
		err := w.store.Write(t.Context(), db.System(w.tenant, "test"), func(tx *db.Tx) error {
			plans.Force(t, tx)
			for _, step := range []struct {
				name string
				n    int
				work func(context.Context, *db.Tx, int) (int, error)
			}{{"a batch", 3, ProjectBatch}, {"a visit of percentiles", 3, RecomputePercentiles}, {"a larger batch", 300, ProjectBatch}} {
				dbtest.ByIndex(t, tx, step.name, int64(200+4*step.n), func() error {
					n, err := step.work(t.Context(), tx, step.n)
					if n != step.n {
						t.Errorf("%s: took %d, want %d", step.name, n, step.n)
					}
					return err
				}, tables...)
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Error(err)
		}
	}, urls)
}

// attempted starts a session of the first version, with an answer to each of its questions.
func (w *world) attempted(t *testing.T) attempt {
	t.Helper()
	v := w.versions[0]
	s := attempt{id: ids.New(), user: w.users[0], version: v, startedAt: epoch, completedAt: epoch.Add(600e9), outcome: "pass"}
	for _, q := range v.questions {
		s.answers = append(s.answers, answer{question: q, options: []string{"A"}, status: "SCORED", score: 1})
	}
	w.write(t, func(ctx context.Context, tx *db.Tx) error { return w.start(ctx, tx, s) })
	return s
}
