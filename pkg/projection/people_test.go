package projection

import (
	"context"
	"testing"

	"assess/pkg/db"
	"assess/pkg/dbtest"
)

// peopleSQL compares the people of all periods of whole days, in the cuts without groups: the
// sum of links beside a plain count.
const peopleSQL = `
with days as (select generate_series(min(day), max(day) + 1, interval '1 day')::date as day from report_evaluation_takers where tenant_id = $1),
asked as (
	select r.evaluation_version_id, r.cut, r.run_label, a.day as first, b.day as last
	from report_evaluation_rollup r, days a join days b on a.day < b.day
	where r.tenant_id = $1 and r.cut in ('all', 'run')
)
select count(*), count(*) filter (where linked <> counted) from asked q,
	lateral (select coalesce(sum(n), 0) as linked from report_evaluation_people d
		where d.tenant_id = $1 and d.evaluation_version_id = q.evaluation_version_id and d.cut = q.cut and d.run_label = q.run_label
			and d.kind = 'user' and d.before < q.first and d.day >= q.first and d.day < q.last) l,
	lateral (select count(distinct user_id) as counted from report_session_starts r
		where r.tenant_id = $1 and r.evaluation_version_id = q.evaluation_version_id and (q.cut = 'all' or coalesce(r.run_label, '') = q.run_label)
			and (r.attempt_at at time zone 'UTC')::date >= q.first and (r.attempt_at at time zone 'UTC')::date < q.last) c`

// Whoever comes again and again counts once in any period, in whatever order their attempts
// were projected and after one of them moved to another day.
func TestPeopleOfAnyDaysAreASum(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	all := submitted(t, w, 24)
	compare := func() {
		t.Helper()
		var asked, wrong int
		w.write(t, func(ctx context.Context, tx *db.Tx) error {
			return tx.QueryRow(ctx, peopleSQL, w.tenant).Scan(&asked, &wrong)
		})
		if asked < 100 || wrong > 0 {
			t.Errorf("%d of %d periods have another number of people", wrong, asked)
		}
	}
	// Days that are projected later come between those that are there.
	for _, sql := range []string{
		"update projection_outbox set not_before = now() + interval '1 year' where tenant_id = $1 and id % 3 = 0",
		"update projection_outbox set not_before = null where tenant_id = $1"} {
		w.write(t, func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.Exec(ctx, sql, w.tenant)
			return err
		})
		w.drain(t, 5)
	}
	compare()
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, "update submissions set completed_at = completed_at + interval '3 days' where tenant_id = $1 and id = $2", w.tenant, all[7].id)
		if err == nil {
			_, err = tx.Exec(ctx, "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'submission', $2, now())", w.tenant, all[7].id)
		}
		return err
	})
	w.drain(t, 5)
	compare()
	if r := w.verify(t); r.Differences != 0 {
		t.Errorf("the tables differ from a rebuild: %+v", r)
	}
}
