-- Counts the durations of the submissions $2, or of all of a tenant for null: in steps, and in bands by
-- time. $sign is 1 to count them, and -1 to take out again what was counted. The order of the rows
-- keeps together what is read together.
with durations as materialized (
	select r.org_unit_id, r.evaluation_version_id, r.run_label, r.group_id, (r.completed_at at time zone 'UTC')::date as day,
		duration_step(r.duration_ms, {{duration bits}}) as step_ms, count(*) as n
	from {{shown submissions or all}} r where r.duration_ms is not null
	group by 1, 2, 3, 4, 5, 6
), into_bands as (
	insert into report_evaluation_bands as d
		(tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, days, day, band_ms, n)
	select u.tenant_id, r.org_unit_id, r.evaluation_version_id, c.cut, c.run_label, c.group_id, t.days, t.day,
		duration_step(r.step_ms, {{band bits}}), sum(r.n)
	from durations r {{of its unit}}, {{cuts}},
		lateral (values (0, '-infinity'::date), (7, date_trunc('week', r.day)::date), (1, r.day)) t (days, day)
	where c.group_id is not null group by 1, 2, 3, 4, 5, 6, 7, 8, 9 order by 2, 3, 4, 5, 6, 7, 8, 9
	on conflict (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, days, day, band_ms)
	do update set n = d.n + $sign * excluded.n
)
insert into report_evaluation_durations as d (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, step_ms, n)
select $1::uuid, r.org_unit_id, r.evaluation_version_id, c.cut, c.run_label, c.group_id, r.step_ms, sum(r.n)
from durations r, {{cuts}}
where c.group_id is not null group by 2, 3, 4, 5, 6, 7 order by 2, 3, 4, 5, 6, 7
on conflict (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, step_ms)
do update set n = d.n + $sign * excluded.n
