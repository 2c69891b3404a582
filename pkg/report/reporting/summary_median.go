package reporting

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/report/projection"
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

// mediansSQL adds up how many durations are in which band, up to the one that holds the middle,
// and reads the durations of each key in that band alone, in their order along an index, up to the
// middle. At all times the band is narrowed to one of its steps before. Where a band or step ends is
// computed before the rows are looked for: behind a policy step_end(...) is no index condition.
func (q summaryQuery) mediansSQL(s *statement, tx *db.Tx) string {
	middle, bits, narrowed := "banded", projection.BandBits, ""
	if q.from == nil && q.to == nil {
		middle, bits, narrowed = "stepped", projection.DurationBits, q.stepsSQL(s, tx)
	}
	return `
	with running as materialized (
		select key, low, n, sum(n) over (partition by key order by low)::bigint as upto, sum(n) over (partition by key)::bigint as total
		from (select key, low, sum(n)::bigint as n from (` + q.bandsSQL(s, tx) + `) r (key, low, n) group by 1, 2) s
	), banded as materialized (
		select r.key, r.low, m.rank - (r.upto - r.n) as place
		from running r, lateral (values ((r.total - 1) / 2), (case when r.total % 2 = 0 then r.total / 2 end)) m (rank)
		where m.rank >= r.upto - r.n and m.rank < r.upto` + narrowed + `
	)
	select m.key::text, avg(d.duration_ms)::float8 from (select key, low, step_end(low, ` + bits + `) as ends, min(place) as first, count(*) as n from ` + middle + ` group by 1, 2) m, lateral (
		select r.duration_ms from unnest(` + s.arg(q.versions) + `::uuid[]) v (version), lateral (
			select r.duration_ms from report_submissions r where ` + q.ofMiddle(s, tx) + `
				and r.evaluation_version_id = v.version and r.duration_ms >= m.low and r.duration_ms < m.ends
			order by r.duration_ms limit m.first + m.n) r
		order by r.duration_ms offset m.first limit m.n) d
	group by 1`
}

// stepsSQL finds the steps that hold the places which banded says, and the places there.
func (q summaryQuery) stepsSQL(s *statement, tx *db.Tx) string {
	return `
	), steps as (
		select b.key, b.low as band, d.step_ms as low, sum(d.n)::bigint as n,
			sum(sum(d.n)) over (partition by b.key, b.low order by d.step_ms)::bigint as upto
		from (select distinct key, low, step_end(low, ` + projection.BandBits + `) as ends from banded) b, lateral (select * from report_evaluation_durations d
			where ` + q.ofCut(s, tx) + q.same("d", "b.key") + ` and d.step_ms >= b.low and d.step_ms < b.ends offset 0) d
		group by 1, 2, 3
	), stepped as materialized (
		select t.key, t.low, b.place - (t.upto - t.n) as place
		from banded b join steps t on t.key = b.key and t.band = b.low and b.place >= t.upto - t.n and b.place < t.upto`
}

// ofMiddle is the condition on submissions r of the key of m. It states the one run or group, and
// not those of the whole list, and leaves the version to its caller, who goes version by version:
// an index is in the order of durations then. "is true" keeps the indexes of times out.
func (q summaryQuery) ofMiddle(s *statement, tx *db.Tx) string {
	one := q
	switch q.by {
	case byRun:
		one.runs = nil
	case byGroup:
		one.groups = nil
	}
	return one.ofRows(s, tx) + " and (true" + within(s, "r.completed_at", q.period()) + ") is true" + q.same("r", "m.key")
}

// bandsSQL counts durations by band: at all times, or in the weeks and days of a period, and
// submission by submission what its days have too little or too much.
func (q summaryQuery) bandsSQL(s *statement, tx *db.Tx) string {
	var sources []string
	counted := func(days int, p projection.Period, sign string) {
		sources = append(sources, "select "+q.key("d")+", d.band_ms, "+sign+"d.n from report_evaluation_bands d where "+
			q.ofCut(s, tx)+" and d.days = "+s.arg(days)+within(s, "d.day", p))
	}
	if q.from == nil && q.to == nil {
		counted(0, projection.Period{}, "")
	} else {
		parted(q.period(), projection.Day, func(p projection.Period) {
			parted(p, projection.Week, func(p projection.Period) { counted(7, p, "") },
				func(p projection.Period, sign string) { counted(1, p, sign) })
		}, func(edge projection.Period, sign string) {
			sources = append(sources, "select "+q.key("r")+", duration_step(r.duration_ms, "+projection.BandBits+"), "+sign+"count(*) from "+
				q.rows(s, tx, "report_submissions", "completed_at", edge)+" where r.duration_ms is not null group by 1, 2")
		})
	}
	return strings.Join(sources, "\nunion all\n")
}
