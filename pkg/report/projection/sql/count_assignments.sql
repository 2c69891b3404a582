-- Writes the assignments $2 that are not there yet, and counts them: what is counted of an assignment
-- never changes, so that nothing has to be taken back. The target of an assignment to an e-mail
-- address is the user that the address became. A person is new to a cut when their row holds just
-- what was added.
--
-- A row that another batch is writing is waited for, and then it is not fresh. The assignments
-- themselves are not locked: candidates are starting by them.
with fresh as (
	insert into report_assignments as r
	select a.tenant_id, a.org_unit_id, a.id, a.evaluation_id, a.target_type,
		case when a.target_type in ('user_id', 'email') then a.target_ref::uuid end,
		case when a.target_type = 'group_id' then a.target_ref::uuid end, coalesce(a.run_label, '')
	from assignments a where a.tenant_id = $1 and a.id = any($2) order by a.id
	on conflict (tenant_id, assignment_id) do update set target_type = excluded.target_type where false
	returning org_unit_id, evaluation_id, target_type, user_id, group_id, run_label
), points as (
	select r.org_unit_id, r.evaluation_id, c.cut, c.run_label, c.group_id,
		count(*) filter (where target_type = 'user_id') as user_id_n, count(*) filter (where target_type = 'email') as email_n,
		count(*) filter (where target_type = 'group_id') as group_id_n, count(*) filter (where target_type = 'public_link') as public_link_n
	from fresh r, {{cuts}} where c.group_id is not null
	group by 1, 2, 3, 4, 5
), invited as (
	select r.org_unit_id, r.evaluation_id, c.cut, c.run_label, r.user_id, count(*) as n
	from fresh r, {{cuts}} where r.user_id is not null and c.cut in ('all', 'run')
	group by 1, 2, 3, 4, 5
), merged as (
	insert into report_evaluation_invitees as i (tenant_id, org_unit_id, evaluation_id, cut, run_label, user_id, n)
	select u.tenant_id, r.org_unit_id, r.evaluation_id, r.cut, r.run_label, r.user_id, r.n from invited r {{of its unit}} order by 2, 3, 4, 5, 6
	on conflict (tenant_id, org_unit_id, evaluation_id, cut, run_label, user_id) do update set n = i.n + excluded.n
	returning org_unit_id, evaluation_id, cut, run_label, user_id, n
), people as (
	select org_unit_id, evaluation_id, cut, run_label, count(*) as n
	from merged join invited using (org_unit_id, evaluation_id, cut, run_label, user_id, n) group by 1, 2, 3, 4
)
insert into report_access_points as p (tenant_id, org_unit_id, evaluation_id, cut, run_label, group_id,
	user_id_n, email_n, group_id_n, public_link_n, invitees_n)
select $1::uuid, org_unit_id, evaluation_id, cut, run_label, group_id, user_id_n, email_n, group_id_n, public_link_n, coalesce(people.n, 0)
from points left join people using (org_unit_id, evaluation_id, cut, run_label)
order by 2, 3, 4, 5, 6
on conflict (tenant_id, org_unit_id, evaluation_id, cut, run_label, group_id) do update set
	user_id_n = p.user_id_n + excluded.user_id_n, email_n = p.email_n + excluded.email_n,
	group_id_n = p.group_id_n + excluded.group_id_n, public_link_n = p.public_link_n + excluded.public_link_n,
	invitees_n = p.invitees_n + excluded.invitees_n
