package reporting

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/db"
	"assess/pkg/projection"
)

// readMedians finds the exact medians of the durations, the mean of the two in the middle
// where the number is even. How depends on what is counted already.
func (q summaryQuery) readMedians(ctx context.Context, tx *db.Tx, all tallied) error {
	var s statement
	var sql string
	switch {
	case q.from == nil && q.to == nil:
		sql = q.steppedSQL(&s, tx)
	case q.by == bySingle:
		known := all.at("").n["time_known_n"]
		if known == 0 {
			return nil
		}
		sql = q.walkedSQL(&s, tx, known)
	default:
		sql = "select " + q.key("r") + ", percentile_cont(0.5) within group (order by r.duration_ms) from report_submissions r where " +
			q.ofRows(&s, tx, "completed_at", q.period()) + " and r.duration_ms is not null group by 1"
	}
	rows, err := tx.Query(ctx, sql, s.args...)
	if err != nil {
		return fmt.Errorf("find median durations: %w", err)
	}
	var key string
	var median float64
	_, err = pgx.ForEachRow(rows, []any{&key, &median}, func() error {
		found := median
		all.at(key).medianMs = &found
		return nil
	})
	if err != nil {
		return fmt.Errorf("find median durations: %w", err)
	}
	return nil
}

// steppedSQL counts durations step by step up to the one that holds the middle, and reads
// that step alone, along an index: about one submission in a hundred is in it.
func (q summaryQuery) steppedSQL(s *statement, tx *db.Tx) string {
	steps := "select " + q.key("d") + " as key, d.step_ms, sum(d.n)::bigint as n from report_evaluation_durations d where " +
		q.ofCut(s, tx) + " group by 1, 2"
	same := ""
	if q.by != bySingle {
		same = " and " + q.key("r") + " = m.key"
	}
	return `
	with running as (
		select key, step_ms, n, sum(n) over (partition by key order by step_ms)::bigint as upto, sum(n) over (partition by key)::bigint as total
		from (` + steps + `) s
	), middle as (
		select r.key, r.step_ms, m.rank - (r.upto - r.n) as place
		from running r, lateral (values ((r.total - 1) / 2), (case when r.total % 2 = 0 then r.total / 2 end)) m (rank)
		where m.rank >= r.upto - r.n and m.rank < r.upto
	)
	select m.key, avg(e.duration_ms)::float8 from middle m, lateral (
		select r.duration_ms from report_submissions r
		where ` + q.ofRows(s, tx, "", projection.Period{}) + same + ` and r.duration_ms is not null
			and r.duration_ms >= m.step_ms and r.duration_ms < step_end(m.step_ms)
		order by r.duration_ms offset m.place limit 1) e
	group by m.key`
}

// walkedSQL walks along the index of durations to the middle.
func (q summaryQuery) walkedSQL(s *statement, tx *db.Tx, known int64) string {
	return "select '', avg(duration_ms)::float8 from (select r.duration_ms from report_submissions r where " +
		q.ofRows(s, tx, "completed_at", q.period()) + " and r.duration_ms is not null order by r.duration_ms offset " +
		s.arg((known-1)/2) + " limit " + s.arg(2-known%2) + ") m"
}
