package projection

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func submitted(t *testing.T, w *world, n int) []attempt {
	t.Helper()
	var all []attempt
	for i := range n {
		s := attempt{id: ids.New(), version: w.versions[i%2], user: w.users[i%len(w.users)], outcome: "pass",
			startedAt: epoch.AddDate(0, 0, i), completedAt: epoch.AddDate(0, 0, i).Add(time.Hour), focusLost: i % 2}
		if run := "first run"; i%2 == 0 {
			s.run = &run
		}
		for _, q := range s.version.questions {
			s.answers = append(s.answers, answer{question: q, options: []string{"A", "B"}[:1+i%2], status: "SCORED", score: 1, ms: new(int64)})
		}
		w.write(t, func(ctx context.Context, tx *db.Tx) error {
			err := w.start(ctx, tx, s)
			if err != nil {
				return err
			}
			return w.submit(ctx, tx, s)
		})
		all = append(all, s)
	}
	return all
}

func TestVerifyFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	store := newStore(t, dbtest.Clone(t))
	for _, c := range []struct {
		table, tamper string
		want          Comparison
	}{
		{"report_item_attempts_flat", "delete from report_item_attempts_flat where tenant_id = $1 and question_version_id = $2", Comparison{Missing: 4}},
		{"report_question_day", "update report_question_day set attempts_n = attempts_n + 1 where tenant_id = $1 and question_version_id = $2", Comparison{Different: 4}},
		{"report_question_health_rollup", "update report_question_health_rollup set median_time_ms = 7 where tenant_id = $1 and question_version_id = $2", Comparison{Different: 1}},
		{"report_question_tags", "insert into report_question_tags select tenant_id, org_unit_id, 'no:such', question_version_id, evaluation_version_id from report_question_day where tenant_id = $1 and question_version_id = $2 limit 1", Comparison{Surplus: 1}},
	} {
		t.Run(c.table, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, store)
			submitted(t, w, 4)
			w.drain(t, 100)
			_, err := RecomputeAll(t.Context(), store, w.tenant)
			if err != nil {
				t.Fatal(err)
			}
			if r := w.verify(t); r.Differences != 0 {
				t.Fatalf("before: %+v", r)
			}
			w.write(t, func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.Exec(ctx, c.tamper, w.tenant, w.versions[0].questions[0].id)
				return err
			})
			for _, got := range w.verify(t).Tables {
				want := Comparison{Table: got.Table, Rows: got.Rows}
				if got.Table == c.table {
					want.Missing, want.Surplus, want.Different = c.want.Missing, c.want.Surplus, c.want.Different
				}
				if got != want {
					t.Errorf("got %+v, want %+v", got, want)
				}
			}
			err = Rebuild(t.Context(), store, w.tenant, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r := w.verify(t); r.Differences != 0 {
				t.Errorf("after a rebuild: %+v", r)
			}
		})
	}
}

// A second projection of everything writes nothing: no rollup gets another revision.
func TestProjectingWhatIsShownWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	submitted(t, w, 6)
	w.drain(t, 2)
	before := revisions(t, w)
	longAgo := epoch.AddDate(-1, 0, 0)
	w.finish(t, w.ask(t, JobInput{Kind: KindRange, From: &longAgo}), 100)
	if after := revisions(t, w); after != before || before == 0 {
		t.Errorf("revisions went from %d to %d", before, after)
	}
}

func revisions(t *testing.T, w *world) int64 {
	t.Helper()
	var sum int64
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		return tx.QueryRow(ctx, "select coalesce(sum(revision), 0)::bigint from report_question_health_rollup where tenant_id = $1", w.tenant).Scan(&sum)
	})
	return sum
}

// One subject that cannot be projected does not hold up the others, and gets a later turn.
func TestProjectorPutsOffAPoisonousSubject(t *testing.T) {
	t.Parallel()
	store := newStore(t, dbtest.Fresh(t))
	w := newWorld(t, store)
	all := submitted(t, w, 5)
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `insert into submission_items (tenant_id, submission_id, id, org_unit_id, item_id,
			question_version_id, position, qtype, response, score_status, score_method, score, max_score, is_correct,
			is_omitted, correct_selected, incorrect_selected, total_correct)
			select tenant_id, submission_id, $3::uuid, org_unit_id, item_id, question_version_id, 99, 'mrq',
				'{"optionIds": 5}', 'SCORED', 'key', 1, 1, true, false, 1, 0, 1
			from submission_items where tenant_id = $1 and submission_id = $2 and position = 0`, w.tenant, all[2].id, ids.New())
		return err
	})
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	projector := NewProjector(store, slog.New(slog.DiscardHandler), 0, 10*time.Millisecond)
	ended := make(chan struct{})
	go func() { defer close(ended); projector.Run(ctx) }()
	var s StatusResult
	for ctx.Err() == nil && (s.Submissions != 4 || s.Waiting != 1) {
		w.write(t, func(ctx context.Context, tx *db.Tx) error {
			var err error
			s, err = Status(ctx, tx)
			return err
		})
		time.Sleep(10 * time.Millisecond)
	}
	stop()
	<-ended
	if s.Submissions != 4 || s.Waiting != 1 || s.Deferred != 1 {
		t.Errorf("got %+v; want 4 submissions shown and 1 deferred", s)
	}
}

// A tenant with locked rows does not hold up the tenants behind it.
func TestOneTenantDoesNotHoldUpTheOthers(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	store := newStore(t, urls)
	held, free := newWorld(t, store), newWorld(t, store)
	submitted(t, held, 2)
	submitted(t, free, 2)
	hasty, err := db.Open(t.Context(), db.Options{URL: urls.App, MaxConns: 2, LockTimeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hasty.Close)
	projector := NewProjector(hasty, slog.New(slog.DiscardHandler), 0, 0)
	held.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, "select from submissions where tenant_id = $1 for update", held.tenant)
		if err != nil {
			return err
		}
		n, err := projector.round(ctx)
		if n == 0 || errs.Of(err).Code != errs.RequestTimeout {
			t.Errorf("projected %d rows and got %v; want those of the other tenant and a request_timeout", n, err)
		}
		return nil
	})
	if n := free.count(t, shownSQL, free.tenant); n != 2 {
		t.Errorf("the other tenant shows %d submissions, want 2", n)
	}
}
