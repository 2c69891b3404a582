package projection

import (
	"context"
	"fmt"

	"assess/pkg/db"
)

const evaluationDayColumns = `tenant_id, org_unit_id, evaluation_version_id, run_label, day, evaluation_id, started_n,
	in_progress_n, expired_n, closed_n, abandoned_n, completed_n, scored_n, pass_n, fail_n, graded_score_pct_sum, histogram`

const addEvaluationDay = `
	started_n = d.started_n + excluded.started_n,
	in_progress_n = d.in_progress_n + excluded.in_progress_n,
	expired_n = d.expired_n + excluded.expired_n,
	closed_n = d.closed_n + excluded.closed_n,
	abandoned_n = d.abandoned_n + excluded.abandoned_n,
	completed_n = d.completed_n + excluded.completed_n,
	scored_n = d.scored_n + excluded.scored_n,
	pass_n = d.pass_n + excluded.pass_n,
	fail_n = d.fail_n + excluded.fail_n,
	graded_score_pct_sum = d.graded_score_pct_sum + excluded.graded_score_pct_sum,
	histogram = add_counts(d.histogram, excluded.histogram)`

// CompletionMeasures are the measures of completed submissions, over report_submissions r:
// the projector adds them up by day, a filtered summary at once. The histogram counts
// graded submissions by tenth of the maximum, the last tenth closed at 100 %; a score
// below 0, as negative marking may give, counts in the first.
const CompletionMeasures = `
	count(*) as completed_n,
	count(*) filter (where r.is_scored) as scored_n,
	count(*) filter (where r.outcome_code = 'pass') as pass_n,
	count(*) filter (where r.outcome_code = 'fail') as fail_n,
	coalesce(sum(r.score_pct) filter (where r.outcome_code <> 'incomplete'), 0) as graded_score_pct_sum,
	array[` + tenths + `] as histogram`

// tenths compares with the bounds, which costs a fraction of computing the tenth ten times
// a row.
const (
	inTenth = `, count(*) filter (where r.outcome_code <> 'incomplete' and r.score_pct >= `
	tenths  = `count(*) filter (where r.outcome_code <> 'incomplete' and r.score_pct < 0.1)` +
		inTenth + `0.1 and r.score_pct < 0.2)` + inTenth + `0.2 and r.score_pct < 0.3)` +
		inTenth + `0.3 and r.score_pct < 0.4)` + inTenth + `0.4 and r.score_pct < 0.5)` +
		inTenth + `0.5 and r.score_pct < 0.6)` + inTenth + `0.6 and r.score_pct < 0.7)` +
		inTenth + `0.7 and r.score_pct < 0.8)` + inTenth + `0.8 and r.score_pct < 0.9)` + inTenth + `0.9)`
)

const addCompletionsSQL = `
insert into report_evaluation_day as d (` + evaluationDayColumns + `)
select $1::uuid, org_unit_id, evaluation_version_id, run_label, day, evaluation_id, 0, 0, 0, 0, 0,
	$3::int * completed_n, $3::int * scored_n, $3::int * pass_n, $3::int * fail_n, $3::int * graded_score_pct_sum,
	array(select $3::int * n from unnest(histogram) with ordinality h (n, place) order by place)
from (
	select r.org_unit_id, r.evaluation_version_id, coalesce(r.run_label, '') as run_label,
		(r.completed_at at time zone 'UTC')::date as day, r.evaluation_id, ` + CompletionMeasures + `
	from report_submissions r
	where r.tenant_id = $1 and r.submission_id = any($2)
	group by 1, 2, 3, 4, 5
) r
on conflict (tenant_id, org_unit_id, evaluation_version_id, run_label, day) do update set ` + addEvaluationDay

const deriveEvaluationsSQL = `
update report_evaluation_rollup r set
	started_n = d.started_n, in_progress_n = d.in_progress_n, expired_n = d.expired_n, closed_n = d.closed_n,
	abandoned_n = d.abandoned_n, completed_n = d.completed_n, scored_n = d.scored_n, pass_n = d.pass_n,
	fail_n = d.fail_n, graded_score_pct_sum = d.graded_score_pct_sum, histogram = d.histogram,
	last_completed_day = d.last_completed_day, last_computed_at = $4
from (
	select d.org_unit_id, d.evaluation_version_id, sum(started_n) as started_n, sum(in_progress_n) as in_progress_n,
		sum(expired_n) as expired_n, sum(closed_n) as closed_n, sum(abandoned_n) as abandoned_n,
		sum(completed_n) as completed_n, sum(scored_n) as scored_n, sum(pass_n) as pass_n, sum(fail_n) as fail_n,
		sum(graded_score_pct_sum) as graded_score_pct_sum, sum_counts(histogram) as histogram,
		max(day) filter (where completed_n > 0) as last_completed_day
	from report_evaluation_day d
	join unnest($2::uuid[], $3::uuid[]) k (org_unit_id, evaluation_version_id)
		using (org_unit_id, evaluation_version_id)
	where d.tenant_id = $1
	group by 1, 2
) d
where r.tenant_id = $1 and r.org_unit_id = d.org_unit_id and r.evaluation_version_id = d.evaluation_version_id`

// Without a day nothing is left of a version.
const dropEvaluationsSQL = `
delete from report_evaluation_rollup r
using unnest($2::uuid[], $3::uuid[]) k (org_unit_id, evaluation_version_id)
where r.tenant_id = $1 and r.org_unit_id = k.org_unit_id and r.evaluation_version_id = k.evaluation_version_id
	and not exists (select from report_evaluation_day d where d.tenant_id = $1
		and d.org_unit_id = k.org_unit_id and d.evaluation_version_id = k.evaluation_version_id)`

// deriveEvaluations makes the rollups of evaluation versions from their days.
func deriveEvaluations(ctx context.Context, tx *db.Tx, keys []key) error {
	if len(keys) == 0 {
		return nil
	}
	orgs, versions := columns(keys)
	_, err := tx.Exec(ctx, deriveEvaluationsSQL, tx.Tenant(), orgs, versions, tx.Now())
	if err != nil {
		return fmt.Errorf("derive evaluations: %w", err)
	}
	_, err = tx.Exec(ctx, dropEvaluationsSQL, tx.Tenant(), orgs, versions)
	if err != nil {
		return fmt.Errorf("drop empty evaluations: %w", err)
	}
	return nil
}
