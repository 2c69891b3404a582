-- Takes the days $3 of takers out, and puts those that the session starts $2 make in. It gives all days
-- at the evaluation of each person of whom something moved, before and after. A session that goes on
-- within its day moves nothing.
with moved as materialized (
	select org_unit_id, evaluation_id, user_id, evaluation_version_id, run_label, group_id, day,
		sum(starts_n)::bigint as starts_n, sum(invited_n)::bigint as invited_n, sum(invited_completed_n)::bigint as invited_completed_n
	from (
		select * from ({{taker_days}}) entering
		union all
		select tenant_id, org_unit_id, evaluation_id, user_id, evaluation_version_id, run_label, group_id, day,
			-starts_n, -invited_n, -invited_completed_n
		from jsonb_populate_recordset(null::report_evaluation_takers, $3)
	) m
	group by 1, 2, 3, 4, 5, 6, 7
	having sum(starts_n) <> 0 or sum(invited_n) <> 0 or sum(invited_completed_n) <> 0
), known as materialized (
	-- Read before they change: on a cluster each part sees what those before it wrote.
	select t.* from (select distinct org_unit_id, evaluation_id, user_id from moved) p, lateral (
		select * from report_evaluation_takers t
		where t.tenant_id = $1 and t.org_unit_id = p.org_unit_id and t.evaluation_id = p.evaluation_id
			and t.user_id = p.user_id offset 0) t
), written as (
	insert into report_evaluation_takers as t
		(tenant_id, org_unit_id, evaluation_id, user_id, evaluation_version_id, run_label, group_id, day, starts_n, invited_n, invited_completed_n)
	select u.tenant_id, r.org_unit_id, r.evaluation_id, r.user_id, r.evaluation_version_id, r.run_label, r.group_id, r.day,
		r.starts_n, r.invited_n, r.invited_completed_n
	from moved r {{of its unit}}
	on conflict (tenant_id, org_unit_id, evaluation_id, user_id, evaluation_version_id, run_label, group_id, day) do update set
		starts_n = t.starts_n + excluded.starts_n, invited_n = t.invited_n + excluded.invited_n,
		invited_completed_n = t.invited_completed_n + excluded.invited_completed_n
)
select org_unit_id, evaluation_id, user_id, evaluation_version_id, day - date 'epoch', run_label, group_id,
	array[0, 0, 0]::bigint[], array[starts_n, invited_n, invited_completed_n]
from moved
union all
select t.org_unit_id, t.evaluation_id, t.user_id, t.evaluation_version_id, t.day - date 'epoch', t.run_label, t.group_id,
	array[t.starts_n, t.invited_n, t.invited_completed_n], array[t.starts_n, t.invited_n, t.invited_completed_n]
from known t
