package projection

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// medianTimes are the figures of a rollup row that the percentiles job owns, in
// milliseconds, over answered attempts with a known time; nil without any.
type medianTimes struct {
	Median, P90, Median7d, Median30d *float64
}

func (m medianTimes) set(h *models.QuestionHealth) {
	h.MedianTimeMs, h.P90TimeMs, h.Median7dTimeMs, h.Median30dTimeMs = m.Median, m.P90, m.Median7d, m.Median30d
}

var storedMediansSQL = `
select org_unit_id, question_version_id, attempts_n, percentiles_stale, median_time_ms, p90_time_ms, median_7d_time_ms, median_30d_time_ms
from ` + ofKeys("report_question_health_rollup")

// storedTimes are the medians of a rollup row, and what they are of.
type storedTimes struct {
	medianTimes
	attempts int64
	stale    bool
}

func storedMedians(ctx context.Context, tx *db.Tx, keys []key) (map[key]storedTimes, error) {
	orgs, questions := columns(keys)
	all := map[key]storedTimes{}
	var unit, question ids.ID
	var m storedTimes
	err := each(ctx, tx, storedMediansSQL, []any{tx.Tenant(), orgs, questions},
		[]any{&unit, &question, &m.attempts, &m.stale, &m.Median, &m.P90, &m.Median7d, &m.Median30d}, func() { all[key{unit, question}] = m })
	if err != nil {
		return nil, fmt.Errorf("read medians: %w", err)
	}
	return all, nil
}

// medians gives those of the attempts that the filter chooses, which all has counted. Where
// these are all attempts at a question, as with an evaluation version that alone has it, the
// rollup knows them.
func (f Filter) medians(ctx context.Context, tx *db.Tx, orgs []ids.ID, all keyed, p Percentiles) (map[key]medianTimes, map[runKey]*float64, error) {
	known, knownRuns := map[key]medianTimes{}, map[runKey]*float64{}
	if len(orgs) == 1 {
		var err error
		known, knownRuns, err = wholeMedians(ctx, tx, orgs[0], all)
		if err != nil {
			return nil, nil, err
		}
	}
	f.Questions = slices.DeleteFunc(all.questions(), func(question ids.ID) bool {
		_, done := known[key{ids.None, question}]
		return done
	})
	if len(f.Questions) == 0 {
		return known, knownRuns, nil
	}
	medians, runs, err := p.find(ctx, tx, f.source(tx, orgs))
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(medians, known)
	maps.Copy(runs, knownRuns)
	return medians, runs, nil
}

// wholeMedians gives the stored medians of the questions of which all attempts were counted.
func wholeMedians(ctx context.Context, tx *db.Tx, org ids.ID, all keyed) (map[key]medianTimes, map[runKey]*float64, error) {
	var keys []key
	for k := range all {
		keys = append(keys, key{org, k.Version})
	}
	stored, err := storedMedians(ctx, tx, keys)
	if err != nil {
		return nil, nil, err
	}
	known, runs := map[key]medianTimes{}, map[runKey]*float64{}
	var whole []ids.ID
	for k, m := range stored {
		if here := (key{ids.None, k.Version}); !m.stale && m.attempts == all[here].attempts {
			known[here] = m.medianTimes
			whole = append(whole, k.Version)
		}
	}
	var question ids.ID
	var run string
	var median *float64
	err = each(ctx, tx, `select question_version_id, run_label, median_time_ms from report_question_health_by_run
		where tenant_id = $1 and org_unit_id = $2 and question_version_id = any($3)`, []any{tx.Tenant(), org, whole},
		[]any{&question, &run, &median}, func() { runs[runKey{key{ids.None, question}, run}] = median })
	if err != nil {
		return nil, nil, fmt.Errorf("read medians of runs: %w", err)
	}
	return known, runs, nil
}

// Percentiles says which percentiles are looked for: each costs a look at single attempts. The
// windows end with the newest day on which the question was attempted at all.
type Percentiles struct {
	figures []string
	// ifSlower leaves the windows out where steps tell that no rule which needs them holds: nothing
	// else of a list looks at them.
	ifSlower bool
}

const (
	middle     = `('median', 0.5::float8, null::text, null::timestamptz, s.n)`
	tenth      = `('p90', 0.9, null, null, s.n)`
	last7and30 = `('7d', 0.5::float8, null::text, (s.newest - 6)::timestamp at time zone 'UTC', s.n7),
		('30d', 0.5, null, (s.newest - 29)::timestamp at time zone 'UTC', s.n30)`
	byRuns = `('run', 0.5, s.run_label, null, case when s.run_label <> '' then s.n end)`
)

// What a list, an export and a page about one question show, and what a rank needs.
var (
	ForList   = Percentiles{figures: []string{middle, last7and30}, ifSlower: true}
	ForExport = Percentiles{figures: []string{middle, last7and30, tenth}}
	ForDetail = Percentiles{figures: []string{middle, last7and30, tenth, byRuns}}
	forRank   = Percentiles{figures: []string{last7and30}}
)

// mediansSQL gives exact percentiles, those of percentile_cont: between the two nearest ranks
// in proportion. Adding up steps finds the step that holds a rank, or the two that hold one
// each, and the index of times the attempts that have them; so the cost is that of the steps
// and of the few attempts in one of them. attempts is the condition on these.
//
// A tenant that is too young for the statistics has no rows, as far as the planner knows. The
// lateral queries hold it to go question by question all the same, and unsorted (below) to
// find attempts by the index of times, which is in order, and not among all of the tenant.
// What the attempts are compared with is computed before: behind a policy a condition with
// step_end(...) in it is no index condition.
func (p Percentiles) mediansSQL(attempts string) string {
	run, held, wanted := "null::text", "held", ""
	if p.ifSlower {
		held = `(select *, max(ends) filter (where figure = '7d') over whole as slow,
		min(step_ms) filter (where figure = '30d') over whole as usual from held window whole as (partition by unit, question_version_id))`
		wanted = fmt.Sprintf("\nwhere m.figure not in ('7d', '30d') or m.slow >= %g * m.usual", leastSlower())
	}
	if slices.Contains(p.figures, byRuns) {
		run = "run_label"
	}
	return `, newest as materialized (
	select unit, question_version_id, max(day) as newest from day group by 1, 2
), timed as (
	select w.*, t.run_label, t.day, t.step_ms, t.n::int from newest w,
		lateral (select * from times t where t.unit = w.unit and t.question_version_id = w.question_version_id offset 0) t
	union all
	select w.*, t.run_label, t.day, t.step_ms, t.n from newest w join edges t using (unit, question_version_id)
), stepped as (
	select unit, question_version_id, ` + run + ` as run_label, step_ms, min(newest) as newest, sum(n) as n,
		sum(n) filter (where day > newest - 7) as n7, sum(n) filter (where day > newest - 30) as n30
	from timed group by 1, 2, 3, 4
), counted as (
	select unit, question_version_id, figure, p, run, since, step_ms, sum(w.n)::bigint as n
	from stepped s, lateral (values ` + strings.Join(p.figures, ", ") + `) w (figure, p, run, since, n)
	where w.n > 0 group by 1, 2, 3, 4, 5, 6, 7
), running as (
	select c.*, step_end(step_ms, ` + timeBits + `) as ends, p * (sum(n) over whole - 1)::float8 as rank, (sum(n) over (whole order by step_ms))::bigint as upto
	from counted c window whole as (partition by unit, question_version_id, figure, run)
), held as (
	select *, greatest(floor(rank)::bigint - upto + n, 0) as first, least(ceil(rank)::bigint - upto + n, n - 1) as last
	from running where floor(rank) < upto and ceil(rank) >= upto - n
)
select m.unit, m.question_version_id, m.figure, coalesce(m.run, ''), min(ms) + (min(rank) - floor(min(rank))) * (max(ms) - min(ms))
from ` + held + ` m, lateral (
	select f.time_on_item_ms::float8 as ms from report_item_attempts_flat f
	where ` + attempts + ` and f.question_version_id = m.question_version_id and not f.is_omitted
		and f.time_on_item_ms >= m.step_ms and f.time_on_item_ms < m.ends
		and (m.run is null or f.run_label = m.run)
		and (m.since is null or f.completed_at >= m.since)
	order by f.time_on_item_ms offset m.first limit m.last - m.first + 1) f` + wanted + `
group by 1, 2, 3, 4`
}

// runKey names a question within a run.
type runKey struct {
	key
	run string
}

// find gives the percentiles of the questions of a source, and the medians of their labelled
// runs.
func (p Percentiles) find(ctx context.Context, tx *db.Tx, s source) (map[key]medianTimes, map[runKey]*float64, error) {
	all, runs := map[key]medianTimes{}, map[runKey]*float64{}
	var unit, question ids.ID
	var figure, run string
	var ms float64
	err := unsorted(ctx, tx, "with "+s.cells+p.mediansSQL(s.attempts), s.args, []any{&unit, &question, &figure, &run, &ms}, func() {
		k, value := key{unit, question}, ms
		m := all[k]
		switch figure {
		case "median":
			m.Median = &value
		case "p90":
			m.P90 = &value
		case "7d":
			m.Median7d = &value
		case "30d":
			m.Median30d = &value
		case "run":
			runs[runKey{k, run}] = &value
		}
		all[k] = m
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read medians: %w", err)
	}
	return all, runs, nil
}

// unsorted reads a statement for which the planner takes what is in order already.
func unsorted(ctx context.Context, tx *db.Tx, sql string, args, targets []any, row func()) error {
	const sort = "select set_config('enable_sort', $1, true)"
	_, err := tx.Exec(ctx, sort, "off")
	if err != nil {
		return err
	}
	err = each(ctx, tx, sql, args, targets, row)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, sort, "on")
	return err
}
