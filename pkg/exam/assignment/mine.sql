-- What is assigned to a user ($2) in the org units of the scope ($3, $4): by name, by a group that they are
-- in, by a link that they redeemed. One page of it, newest first, with what decides whether it can be taken.
with targets as (
	select $2::uuid::text as ref
	union all
	select group_id::text from group_members where tenant_id = $1 and user_id = $2
), reaching as (
	select a.id from targets t
	cross join lateral (select id from assignments where tenant_id = $1 and target_ref = t.ref offset 0) a
	union
	select assignment_id from assignment_redemptions where tenant_id = $1 and user_id = $2
), page as (
	select a.*, count(*) over () as total
	from reaching r
	cross join lateral (select * from assignments where tenant_id = $1 and id = r.id offset 0) a
	where ($3 or a.org_unit_id = $4) and (a.target_type = 'public_link' or a.target_ref in (select ref from targets))
	and exists (select from user_org_units m where m.tenant_id = $1 and m.user_id = $2 and m.org_unit_id = a.org_unit_id)
	order by a.created_at desc, a.id limit $6 offset $7
)
select p.total, p.id, p.evaluation_id, p.status, p.run_label, p.valid_from, p.valid_until, e.status, e.published_id,
	coalesce(v.title, ''), v.settings, u.restricted,
	coalesce(o.extra_time_seconds, 0), coalesce(o.extra_attempts, 0), o.valid_from, o.valid_until,
	s.attempts, s.last, s.open_here
from page p
join users u on u.tenant_id = $1 and u.id = $2
join evaluations e on e.tenant_id = $1 and e.id = p.evaluation_id
left join evaluation_versions v on v.tenant_id = $1 and v.id = e.published_id
left join assignment_overrides o on o.tenant_id = $1 and o.assignment_id = p.id and o.user_id = $2
cross join lateral (
	select count(*) as attempts, max(coalesce(ended_at, started_at)) as last,
		(array_agg(id order by started_at desc) filter (where assignment_id = p.id and state = 'open'
			and (deadline_at is null or deadline_at >= $5)))[1] as open_here
	from sessions
	where tenant_id = $1 and evaluation_id = p.evaluation_id and user_id = $2 and state <> 'closed'
) s
order by p.created_at desc, p.id
