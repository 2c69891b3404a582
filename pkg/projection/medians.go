package projection

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/db"
	"assess/pkg/ids"
)

// medianTimes are the figures of a rollup row that the percentiles job owns, in
// milliseconds, over answered attempts with a known time; nil without any.
type medianTimes struct {
	Median, P90, Median7d, Median30d *float64
}

func (m medianTimes) set(h *models.QuestionHealth) {
	h.MedianTimeMs, h.P90TimeMs, h.Median7dTimeMs, h.Median30dTimeMs = m.Median, m.P90, m.Median7d, m.Median30d
}

const storedMediansSQL = `
select r.org_unit_id, r.question_version_id, median_time_ms, p90_time_ms, median_7d_time_ms, median_30d_time_ms
from report_question_health_rollup r join unnest($2::uuid[], $3::uuid[]) k (org_unit_id, question_version_id)
	using (org_unit_id, question_version_id)
where r.tenant_id = $1`

func storedMedians(ctx context.Context, tx *db.Tx, keys []key) (map[key]medianTimes, error) {
	orgs, questions := columns(keys)
	return readMedians(ctx, tx, storedMediansSQL, tx.Tenant(), orgs, questions)
}

func readMedians(ctx context.Context, tx *db.Tx, sql string, args ...any) (map[key]medianTimes, error) {
	all := map[key]medianTimes{}
	var unit, question ids.ID
	var m medianTimes
	err := each(ctx, tx, sql, args, []any{&unit, &question, &m.Median, &m.P90, &m.Median7d, &m.Median30d},
		func() { all[key{unit, question}] = m })
	if err != nil {
		return nil, fmt.Errorf("read medians: %w", err)
	}
	return all, nil
}

// timesPicked are the columns that the medians need, over flat rows f; unit is %s, and a
// condition on f follows.
const timesPicked = `
	select %s as unit, f.question_version_id, f.run_label, (f.completed_at at time zone 'UTC')::date as day,
		case when not f.is_omitted then f.time_on_item_ms end as ms
	from report_item_attempts_flat f
	where f.tenant_id = $1`

// mediansSQL gives exact percentiles (percentile_cont) of the CTE picked. The windows end
// with the newest day on which the question was attempted at all.
const mediansSQL = `
select unit, question_version_id,
	percentile_cont(0.5) within group (order by ms), percentile_cont(0.9) within group (order by ms),
	percentile_cont(0.5) within group (order by ms) filter (where day > newest - 7),
	percentile_cont(0.5) within group (order by ms) filter (where day > newest - 30)
from picked
join (select unit, question_version_id, max(day) as newest from picked group by 1, 2) n
	using (unit, question_version_id)
group by 1, 2`

const runMediansSQL = `
select unit, question_version_id, run_label, percentile_cont(0.5) within group (order by ms)
from picked where run_label <> '' group by 1, 2, 3`

// runKey names a question within a run.
type runKey struct {
	key
	run string
}

func readRunMedians(ctx context.Context, tx *db.Tx, sql string, args ...any) (map[runKey]*float64, error) {
	all := map[runKey]*float64{}
	var unit, question ids.ID
	var run string
	var median *float64
	err := each(ctx, tx, sql, args, []any{&unit, &question, &run, &median},
		func() { all[runKey{key{unit, question}, run}] = median })
	if err != nil {
		return nil, fmt.Errorf("read medians of runs: %w", err)
	}
	return all, nil
}
