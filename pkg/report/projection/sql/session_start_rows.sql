-- report_session_starts as sessions, submissions and assignments make it. An attempt stands at its
-- completion, or at its start as long as it has none: so whoever asks for a period never sees more
-- completed attempts than there were. One that was voided had been completed, and stays where it was.
select s.tenant_id, s.org_unit_id, s.id as session_id, s.evaluation_id, s.evaluation_version_id, s.user_id,
	coalesce(s.run_label, '') as run_label, s.started_at, s.state, s.assignment_id, case when a.target_type = 'group_id' then a.target_ref::uuid end as group_id,
	coalesce(a.target_type in ('user_id', 'email'), false) as is_invited, coalesce(m.status = 'completed', false) as is_completed,
	coalesce(m.status = 'voided', false) as is_voided, coalesce(m.completed_at, s.started_at) as attempt_at
from {{sessions}} s
left join submissions m on m.tenant_id = $1 and m.id = s.id
left join assignments a on a.tenant_id = $1 and a.id = s.assignment_id
