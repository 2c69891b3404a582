-- The cells of the questions whose org units and ids are side by side in $2 and $3; of choices those of
-- options. "offset 0" holds the planner to looking each question up: without statistics it takes a
-- table for small.
with day as (
	select org_unit_id as unit, t.* from unnest($2::uuid[], $3::uuid[]) k (org, question), lateral (select * from report_question_day t
		where t.tenant_id = $1 and t.org_unit_id = k.org and t.question_version_id = k.question offset 0) t
), choice as (
	select org_unit_id as unit, t.* from unnest($2::uuid[], $3::uuid[]) k (org, question), lateral (select * from report_question_choice_day t
		where t.tenant_id = $1 and t.org_unit_id = k.org and t.question_version_id = k.question and t.kind = 'option' offset 0) t
), times as (
	select org_unit_id as unit, t.* from unnest($2::uuid[], $3::uuid[]) k (org, question), lateral (select * from report_question_times t
		where t.tenant_id = $1 and t.org_unit_id = k.org and t.question_version_id = k.question offset 0) t
), edges as (
	select {{one unit}} as unit, {{one unit}} as question_version_id, ''::text as run_label, null::date as day, 0::bigint as step_ms, 0 as n
	where false
)
