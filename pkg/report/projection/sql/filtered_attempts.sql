-- The cells of the attempts that a filter chooses, all org units counted together: those of whole days
-- are there already, those at the edges of a period are counted from flat rows, submission by submission.
with bounds as (
	select {{from}}::timestamptz as since, {{to}}::timestamptz as till
), picked as materialized (
	select r.org_unit_id, r.evaluation_id, r.evaluation_version_id, r.run_label, (r.completed_at at time zone 'UTC')::date as day,
		f.is_correct, f.is_omitted, f.time_on_item_ms, f.focus_lost, {{choice columns}}
	from report_submissions r, lateral (select * from report_item_attempts_flat
		where tenant_id = $1 and submission_id = r.submission_id offset 0) f
	where ({{submissions at the edges}}) and {{item attempts}}
), day as not materialized (
	select {{one unit}} as unit, f.question_version_id, f.run_label, f.day, f.evaluation_id, f.evaluation_version_id, f.qtype, {{day names}}
	from report_question_day f where {{cells of whole days}}
	union all
	select {{one unit}} as unit, f.question_version_id, f.run_label, f.day, f.evaluation_id, f.evaluation_version_id, f.qtype, {{day counted}}
	from picked f group by 2, 3, 4, 5, 6, 7
), choice as (
	select {{one unit}} as unit, f.question_version_id, f.run_label, f.kind, f.code, f.n
	from report_question_choice_day f where {{cells of whole days}}
	union all
	select {{one unit}}, question_version_id, run_label, kind, code, n from ({{choice_kinds}}) k
), times as (
	select {{one unit}} as unit, f.question_version_id, f.run_label, f.day, f.step_ms, f.n
	from report_question_times f where {{cells of whole days}}
), edges as (
	select {{one unit}} as unit, f.question_version_id, f.run_label, f.day, duration_step(f.time_on_item_ms, {{time bits}}) as step_ms, 1 as n
	from picked f where not f.is_omitted and f.time_on_item_ms is not null
)
