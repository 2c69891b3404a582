-- The rows of report_evaluation_takers that the session starts $2, or all of a tenant for null, make.
select r.tenant_id, r.org_unit_id, r.evaluation_id, r.user_id, r.evaluation_version_id, r.run_label,
	coalesce(r.group_id, {{no group}}) as group_id, (r.attempt_at at time zone 'UTC')::date as day, count(*) as starts_n,
	count(*) filter (where r.is_invited) as invited_n, count(*) filter (where r.is_invited and r.is_completed) as invited_completed_n
from {{starts or all}} r
group by 1, 2, 3, 4, 5, 6, 7, 8
