-- Counts the session starts $2, or all of a tenant for null, by day and in the rollup. $sign is 1 to count
-- them, and -1 to take out again what was counted. An attempt stands at attempt_at. The measures are
-- taken once, by run, group and day; the cuts are sums of these.
with starts as materialized (
	select r.org_unit_id, r.evaluation_version_id, r.evaluation_id, r.run_label, r.group_id, (r.attempt_at at time zone 'UTC')::date as day,
		{{start counted}}
	from {{starts or all}} r
	group by 1, 2, 3, 4, 5, 6
), into_days as (
	insert into report_evaluation_day as d
		(tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, day, evaluation_id, {{start names}})
	select u.tenant_id, r.org_unit_id, r.evaluation_version_id, c.cut, c.run_label, c.group_id, r.day, r.evaluation_id, {{start summed}}
	from starts r {{of its unit}}, {{cuts}} where c.group_id is not null
	group by 1, 2, 3, 4, 5, 6, 7, 8
	on conflict (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, day) do update set {{start added}}
)
insert into report_evaluation_rollup as d
	(tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, evaluation_id, started_n)
select $1::uuid, r.org_unit_id, r.evaluation_version_id, c.cut, c.run_label, c.group_id, r.evaluation_id, sum(r.started_n)
from starts r, {{cuts}} where c.group_id is not null
group by 2, 3, 4, 5, 6, 7
union all
select $1::uuid, r.org_unit_id, r.evaluation_id, 'evaluation', '', {{no group}}, r.evaluation_id, sum(r.started_n)
from starts r group by r.org_unit_id, r.evaluation_id
on conflict (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id)
do update set started_n = d.started_n + $sign * excluded.started_n
