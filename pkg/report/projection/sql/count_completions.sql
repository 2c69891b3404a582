-- Counts the submissions $2, or all of a tenant for null, by day and in the rollup, as count_starts does.
with completions as materialized (
	select r.org_unit_id, r.evaluation_version_id, r.evaluation_id, r.run_label, r.group_id, (r.completed_at at time zone 'UTC')::date as day,
		{{completion counted}}
	from {{shown submissions or all}} r
	group by 1, 2, 3, 4, 5, 6
), into_days as (
	insert into report_evaluation_day as d
		(tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, day, evaluation_id, {{completion names}})
	select u.tenant_id, r.org_unit_id, r.evaluation_version_id, c.cut, c.run_label, c.group_id, r.day, r.evaluation_id, {{completion summed}}
	from completions r {{of its unit}}, {{cuts}} where c.group_id is not null
	group by 1, 2, 3, 4, 5, 6, 7, 8
	on conflict (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, day) do update set {{completion added}}
)
insert into report_evaluation_rollup as d
	(tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, evaluation_id, completed_n)
select $1::uuid, r.org_unit_id, r.evaluation_version_id, c.cut, c.run_label, c.group_id, r.evaluation_id, sum(r.completed_n)
from completions r, {{cuts}} where c.group_id is not null
group by 2, 3, 4, 5, 6, 7
union all
select $1::uuid, r.org_unit_id, r.evaluation_id, 'evaluation', '', {{no group}}, r.evaluation_id, sum(r.completed_n)
from completions r group by r.org_unit_id, r.evaluation_id
on conflict (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id)
do update set completed_n = d.completed_n + $sign * excluded.completed_n
