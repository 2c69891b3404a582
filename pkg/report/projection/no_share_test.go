package projection

import (
	"context"
	"testing"
	"time"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// An attempt at which nothing can be earned has no share, so it is in no range; projecting it again corrects rows that
// are in the last range.
func TestAnAttemptAtNothingIsInNoRange(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Fresh(t)))
	told := question{id: ids.New(), qtype: "essay", survey: true}
	w.addVersion(t, w.orgs[0], []question{told})
	v := w.versions[len(w.versions)-1]
	for i, outcome := range []string{"pass", "fail", "incomplete"} {
		s := attempt{id: ids.New(), version: v, user: w.users[i], outcome: outcome, startedAt: epoch, completedAt: epoch.Add(time.Hour)}
		w.write(t, func(ctx context.Context, tx *db.Tx) error {
			err := w.start(ctx, tx, s)
			if err != nil {
				return err
			}
			return w.submit(ctx, tx, s)
		})
	}
	check := func(when string) {
		t.Helper()
		w.drain(t, 100)
		if n := w.count(t, "select count(*)::int from report_submissions where tenant_id = $1 and score_tenth is not null", w.tenant); n != 0 {
			t.Errorf("%s: %d attempts at nothing are in a range", when, n)
		}
		if n := w.count(t, `select sum(graded_9_n * 100 + scored_9_n * 10 + graded_nothing_n)::int from report_evaluation_day
			where tenant_id = $1 and cut = 'all'`, w.tenant); n != 2 {
			t.Errorf("%s: the day counts %d, want two graded attempts at nothing and none in the last range", when, n)
		}
		if r := w.verify(t); r.Differences != 0 {
			t.Errorf("%s: the tables differ from a rebuild: %+v", when, r.Tables)
		}
	}
	check("new")

	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, "update report_submissions set score_tenth = 9 where tenant_id = $1", w.tenant)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `update report_evaluation_day set graded_9_n = graded_nothing_n, scored_9_n = scored_nothing_n where tenant_id = $1`, w.tenant)
		return err
	})
	if r := w.verify(t); r.Differences == 0 {
		t.Error("verify does not see what was counted before")
	}
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
			select tenant_id, 'submission', submission_id, now() from report_submissions where tenant_id = $1`, w.tenant)
		return err
	})
	check("projected again")
}
