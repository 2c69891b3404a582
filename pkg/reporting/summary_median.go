package reporting

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/db"
	"assess/pkg/projection"
)

// readMedians finds the exact medians of the durations, the mean of the two in the middle
// where the number is even.
func (q summaryQuery) readMedians(ctx context.Context, tx *db.Tx, all tallied) error {
	var s statement
	sql := q.mediansSQL(&s, tx)
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

// mediansSQL adds up how many durations are in which range, up to the one that holds the
// middle, and reads the durations in that range alone, along an index. A range is read once,
// however many keys have their middle in it.
func (q summaryQuery) mediansSQL(s *statement, tx *db.Tx) string {
	ranges, bits := q.rangesSQL(s, tx)
	return `
	with running as materialized (
		select key, low, n, sum(n) over (partition by key order by low)::bigint as upto, sum(n) over (partition by key)::bigint as total
		from (select key, low, sum(n)::bigint as n from (` + ranges + `) r (key, low, n) group by 1, 2) s
	), middle as materialized (
		select r.key, r.low, m.rank - (r.upto - r.n) + 1 as place
		from running r, lateral (values ((r.total - 1) / 2), (case when r.total % 2 = 0 then r.total / 2 end)) m (rank)
		where m.rank >= r.upto - r.n and m.rank < r.upto
	), placed as (
		select e.key, m.low, e.duration_ms, row_number() over (partition by e.key, m.low order by e.duration_ms) as place
		from (select distinct low from middle) m, lateral (
			select ` + q.key("r") + ` as key, r.duration_ms from report_submissions r
			where ` + q.ofRows(s, tx, "completed_at", q.period()) + ` and r.duration_ms is not null
				and r.duration_ms >= m.low and r.duration_ms < step_end(m.low, ` + bits + `) offset 0) e
	)
	select key, avg(duration_ms)::float8 from placed join middle using (key, low, place) group by key`
}

// rangesSQL counts durations by range: in steps at all times; in a period in bands, and
// submission by submission what its days have too little or too much. It says how many bits of
// the durations the ranges keep, too.
func (q summaryQuery) rangesSQL(s *statement, tx *db.Tx) (sql, bits string) {
	if q.from == nil && q.to == nil {
		return "select " + q.key("d") + ", d.step_ms, d.n from report_evaluation_durations d where " + q.ofCut(s, tx), projection.DurationBits
	}
	var sources []string
	parted(q.period(), projection.Day, func(days projection.Period) {
		sources = append(sources, "select "+q.key("d")+", d.band_ms, sum(d.n) from report_evaluation_bands d where "+
			q.ofCut(s, tx)+within(s, "d.day", days)+" group by 1, 2")
	}, func(edge projection.Period, sign string) {
		sources = append(sources, "select "+q.key("r")+", duration_step(r.duration_ms, "+projection.BandBits+"), "+sign+"count(*) from report_submissions r where "+
			q.ofRows(s, tx, "completed_at", edge)+" and r.duration_ms is not null group by 1, 2")
	})
	return strings.Join(sources, "\nunion all\n"), projection.BandBits
}
