-- Counts the item attempts of the submissions $2, or of all of a tenant for null, for the cells of
-- questions and of lists. $sign is 1 to count them, and -1 to take out again what was counted.
--
-- The measures are taken once for each cut, in its shortest span; longer spans are sums of these.
-- To take the cuts from what they have in common would save nothing: with many runs and groups
-- nearly every item is alone there. "offset 0" holds the planner to finding the items submission
-- by submission: of a tenant that is too young for the statistics it expects no rows at all, and
-- would begin with all of them.
with picked as materialized (
	select f.org_unit_id, f.evaluation_id, f.evaluation_version_id, coalesce(f.run_label, '') as run_label,
		date_bin('6 hours', f.completed_at, timestamptz '2001-01-01 00:00Z') as quarter,
		(f.completed_at at time zone 'UTC')::date as day, r.group_id, f.is_correct, f.is_omitted, f.time_on_item_ms, f.focus_lost,
		{{choice columns}}
	from {{shown submissions or all}} r cross join lateral (select * from report_item_attempts_flat
		where tenant_id = $1 and submission_id = r.submission_id offset 0) f
), of_run as materialized (
	select org_unit_id, question_version_id, evaluation_version_id, run_label, quarter, f.evaluation_id, f.qtype, {{day counted}}
	from picked f group by 1, 2, 3, 4, 5, 6, 7
), of_group as materialized (
	select org_unit_id, question_version_id, evaluation_version_id, f.group_id, quarter, {{item counted}}
	from picked f where f.group_id is not null group by 1, 2, 3, 4, 5
), of_run_group as materialized (
	select org_unit_id, question_version_id, evaluation_version_id, run_label, f.group_id, day, {{item counted}}
	from picked f where f.group_id is not null group by 1, 2, 3, 4, 5, 6
), timed as materialized (
	select org_unit_id, question_version_id, evaluation_version_id, run_label, day,
		duration_step(f.time_on_item_ms, {{time bits}}) as step_ms, count(*) as n
	from picked f where not f.is_omitted and f.time_on_item_ms is not null group by 1, 2, 3, 4, 5, 6
), chosen as materialized (
	select * from ({{choice_kinds}}) k
), into_choices as (
	insert into report_question_choice_day as d
		(tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day, kind, code, n)
	select u.tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day, kind, code, n from chosen r {{of its unit}} order by 2, 3
	on conflict (tenant_id, org_unit_id, question_version_id, kind, evaluation_version_id, run_label, day, code)
	do update set n = d.n + $sign * excluded.n
), into_times as (
	insert into report_question_times as d
		(tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day, step_ms, n)
	select u.tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day, step_ms, n from timed r {{of its unit}} order by 2, 3, 4, 5, 6, 7
	on conflict (tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day, step_ms)
	do update set n = d.n + $sign * excluded.n
), into_days as (
	insert into report_question_day as d
		(tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day, evaluation_id, qtype, {{day names}})
	select u.tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, (quarter at time zone 'UTC')::date,
		evaluation_id, qtype, {{day summed}}
	from of_run r {{of its unit}} group by 1, 2, 3, 4, 5, 6, 7, 8 order by 2, 6, 4, 3
	on conflict (tenant_id, org_unit_id, question_version_id, evaluation_version_id, run_label, day)
	do update set {{day added}}
)
-- The cells of one version come in the order of their key: an index takes what belongs at its end
-- in half the time. What is sorted begins with the columns of a fixed width, and what is the same
-- in all of it is added afterwards: so a comparison finds its columns at once.
insert into report_evaluation_items as d (tenant_id, org_unit_id, evaluation_version_id, cut, hours, run_label, group_id, since,
	question_version_id, {{item names}})
select $1::uuid, org_unit_id, evaluation_version_id, 'group', 6, run_label, group_id, since, question_version_id, {{item names}}
from (select org_unit_id, evaluation_version_id, group_id, quarter as since, question_version_id, '' as run_label, {{item names}}
	from of_group order by 1, 2, 6, 3, 4, 5) c
union all
select $1::uuid, org_unit_id, evaluation_version_id, 'group', 168, run_label, group_id, since, question_version_id, {{item names}}
from (select org_unit_id, evaluation_version_id, group_id, date_bin('168 hours', quarter, timestamptz '2001-01-01 00:00Z') as since,
		question_version_id, '' as run_label, {{item summed}}
	from of_group group by 1, 2, 3, 4, 5, 6 order by 1, 2, 6, 3, 4, 5) c
union all
select $1::uuid, org_unit_id, evaluation_version_id, 'run', 6, run_label, group_id, since, question_version_id, {{item names}}
from (select org_unit_id, evaluation_version_id, {{no group}} as group_id, quarter as since, question_version_id, run_label, {{item names}}
	from of_run order by 1, 2, 6, 3, 4, 5) c
union all
select $1::uuid, org_unit_id, evaluation_version_id, 'run', 168, run_label, group_id, since, question_version_id, {{item names}}
from (select org_unit_id, evaluation_version_id, {{no group}} as group_id,
		date_bin('168 hours', quarter, timestamptz '2001-01-01 00:00Z') as since, question_version_id, run_label, {{item summed}}
	from of_run group by 1, 2, 3, 4, 5, 6 order by 1, 2, 6, 3, 4, 5) c
union all
select $1::uuid, org_unit_id, evaluation_version_id, 'run_group', 24, run_label, group_id, since, question_version_id, {{item names}}
from (select org_unit_id, evaluation_version_id, group_id, day::timestamp at time zone 'UTC' as since, question_version_id, run_label,
		{{item names}}
	from of_run_group order by 1, 2, 6, 3, 4, 5) c
on conflict (tenant_id, org_unit_id, evaluation_version_id, cut, hours, run_label, group_id, since, question_version_id)
do update set {{item added}}
