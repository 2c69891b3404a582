package projection

// The measures of report_question_day, over flat rows f. Every figure of question health
// is made of these: the projector adds them up by day, a filtered report at once.
const dayMeasures = `
	count(*) as attempts_n,
	count(*) filter (where f.score_status = 'SCORED') as scored_n,
	count(*) filter (where f.score_status = 'PENDING') as pending_n,
	count(*) filter (where f.score_status = 'INVALID') as invalid_n,
	count(*) filter (where f.score_status = 'EXEMPT') as exempt_n,
	count(*) filter (where f.score_status = 'SCORED' and f.is_correct) as correct_n,
	count(*) filter (where f.is_omitted) as omitted_n,
	coalesce(sum(f.score_awarded) filter (where f.score_status = 'SCORED'), 0) as score_sum,
	coalesce(sum(round(f.score_awarded / nullif(f.max_score, 0), 10)) filter (where f.score_status = 'SCORED'), 0)
		as score_pct_sum,
	count(f.time_on_item_ms) filter (where not f.is_omitted) as time_n,
	coalesce(sum(f.time_on_item_ms) filter (where not f.is_omitted), 0)::bigint as time_sum_ms,
	count(*) filter (where f.focus_lost) as focus_lost_n`

// dayColumns are the same in report_question_day.
const dayColumns = `attempts_n, scored_n, pending_n, invalid_n, exempt_n, correct_n, omitted_n, score_sum, score_pct_sum, time_n,
	time_sum_ms, focus_lost_n`

// slotCTE numbers the days of the submissions: everything in a day's key but the question
// is the submission's own. Thousands of items are then grouped by a number and a question
// instead of by six columns. The numbers lead into arrays of one row: PostgreSQL expects a
// handful of days and would compare each of thousands with each group.
const slotCTE = `
slotted as materialized (
	select r.submission_id, r.org_unit_id, r.evaluation_id, r.evaluation_version_id,
		coalesce(r.run_label, '') as run_label, (r.completed_at at time zone 'UTC')::date as day,
		dense_rank() over (order by r.org_unit_id, r.evaluation_version_id, coalesce(r.run_label, ''),
			(r.completed_at at time zone 'UTC')::date) as slot
	from report_submissions r where r.tenant_id = $1 and r.submission_id = any($2)
), slots as materialized (
	select array_agg(org_unit_id order by slot) as org_units, array_agg(evaluation_id order by slot) as evaluations,
		array_agg(evaluation_version_id order by slot) as versions, array_agg(run_label order by slot) as labels,
		array_agg(day order by slot) as days
	from (select distinct slot, org_unit_id, evaluation_id, evaluation_version_id, run_label, day from slotted) d
)`

// choiceKinds gives everything that the attempts of the CTE picked count for in
// report_question_choice_day, grouped by the given columns of it, a select for each kind.
// Options are those of every choice question, the rest concerns questions with several
// answers. Each select groups for itself, because PostgreSQL would sort all of them
// together.
func choiceKinds(by string) string {
	group := " group by " + by + ", code\n"
	return `
	select ` + by + `, 'option' as kind, f.selected_option as code, count(*) as n
	from picked f where f.qtype = 'mcq' and f.score_status = 'SCORED'` + group + `
	union all
	select ` + by + `, 'option', o as code, count(*)
	from picked f, unnest(f.choice_ids) o where f.qtype = 'mrq' and f.score_status = 'SCORED'` + group + `
	union all
	select ` + by + `, 'pattern', array_to_string(f.choice_ids, '+') as code, count(*)
	from picked f where f.qtype = 'mrq' and f.score_status = 'SCORED'` + group + `
	union all
	select ` + by + `, 'credit', least(greatest(floor(f.score_awarded / f.max_score * 10), 0), 10)::int::text as code, count(*)
	from picked f where f.qtype = 'mrq' and f.score_status = 'SCORED' and f.max_score > 0` + group + `
	union all
	select ` + by + `, 'error', e.code, count(*)
	from picked f
	join report_item_attempt_choice c using (tenant_id, submission_id, submission_item_id),
		lateral (values
			('missed_correct', c.correct_selected < c.total_correct),
			('selected_incorrect', c.incorrect_selected > 0),
			('both', c.correct_selected < c.total_correct and c.incorrect_selected > 0)
		) e (code, applies)
	where f.qtype = 'mrq' and f.score_status = 'SCORED' and e.applies` + group + `
	union all
	select ` + by + `, 'violation', f.invalid_code as code, count(*)
	from picked f where f.qtype = 'mrq' and f.score_status = 'INVALID' and f.invalid_code is not null` + group
}

// choiceColumns are what choiceKinds needs of flat rows f, besides what it groups by.
const choiceColumns = `f.tenant_id, f.submission_id, f.submission_item_id, f.question_version_id, f.qtype, f.score_status,
	f.score_awarded, f.max_score, f.selected_option, f.choice_ids, f.invalid_code`

// addQuestionDaysSQL counts items for the three day tables in one pass over the flat rows.
// "offset 0" holds the planner to finding them submission by submission: of a tenant that is
// too young for the statistics it expects no rows at all, and would begin with all of them.
var addQuestionDaysSQL = `
with ` + slotCTE + `, picked as materialized (
	select s.slot, f.is_correct, f.is_omitted, f.time_on_item_ms, f.focus_lost, ` + choiceColumns + `
	from slotted s cross join lateral (select * from report_item_attempts_flat
		where tenant_id = $1 and submission_id = s.submission_id offset 0) f
), choices as (
	insert into report_question_choice_day as d
		(tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day, kind, code, n)
	select $1::uuid, org_units[k.slot], question_version_id, versions[k.slot], labels[k.slot], days[k.slot], kind, code, $3::int * n
	from (` + choiceKinds("f.slot, f.question_version_id") + `) k
	cross join slots
	on conflict (tenant_id, org_unit_id, question_version_id, kind, evaluation_version_id, run_label, day, code)
		do update set n = d.n + excluded.n
), times as (
	insert into report_question_times as d
		(tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day, step_ms, n)
	select $1::uuid, org_units[k.slot], question_version_id, versions[k.slot], labels[k.slot], days[k.slot], step_ms, $3::int * n
	from (select f.slot, f.question_version_id, duration_step(f.time_on_item_ms) as step_ms, count(*) as n from picked f
		where not f.is_omitted and f.time_on_item_ms is not null group by 1, 2, 3) k
	cross join slots
	on conflict (tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day, step_ms)
		do update set n = d.n + excluded.n
)
insert into report_question_day as d (tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label,
	day, evaluation_id, qtype, attempts_n, scored_n, pending_n, invalid_n, exempt_n, correct_n, omitted_n, score_sum,
	score_pct_sum, time_n, time_sum_ms, focus_lost_n)
select $1::uuid, org_units[f.slot], question_version_id, versions[f.slot], labels[f.slot], days[f.slot], evaluations[f.slot], qtype,
	$3::int * attempts_n, $3::int * scored_n, $3::int * pending_n, $3::int * invalid_n, $3::int * exempt_n,
	$3::int * correct_n, $3::int * omitted_n, $3::int * score_sum, $3::int * score_pct_sum, $3::int * time_n,
	$3::int * time_sum_ms, $3::int * focus_lost_n
from (
	select f.slot, f.question_version_id, f.qtype, ` + dayMeasures + `
	from picked f group by 1, 2, 3
) f
cross join slots
on conflict (tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day) do update set
	attempts_n = d.attempts_n + excluded.attempts_n,
	scored_n = d.scored_n + excluded.scored_n,
	pending_n = d.pending_n + excluded.pending_n,
	invalid_n = d.invalid_n + excluded.invalid_n,
	exempt_n = d.exempt_n + excluded.exempt_n,
	correct_n = d.correct_n + excluded.correct_n,
	omitted_n = d.omitted_n + excluded.omitted_n,
	score_sum = d.score_sum + excluded.score_sum,
	score_pct_sum = d.score_pct_sum + excluded.score_pct_sum,
	time_n = d.time_n + excluded.time_n,
	time_sum_ms = d.time_sum_ms + excluded.time_sum_ms,
	focus_lost_n = d.focus_lost_n + excluded.focus_lost_n`
