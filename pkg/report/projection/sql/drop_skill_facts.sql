-- Takes out what is written of the submissions $2, and gives the figures that this touches.
with gone as (
	delete from report_skill_facts where tenant_id = $1 and ctid = any(array(
		select f.ctid from unnest($2::uuid[]) s (id)
		cross join lateral (select ctid from report_skill_facts where tenant_id = $1 and submission_id = s.id offset 0) f))
	returning org_unit_id, user_id, skill_id, completed_at, submission_id
), keys as materialized (
	select distinct org_unit_id, user_id, skill_id, completed_at, submission_id from gone
), sums as (
	delete from report_skill_submissions where tenant_id = $1 and ctid = any(array(
		select s.ctid from keys k cross join lateral (select ctid from report_skill_submissions s
			where s.tenant_id = $1 and s.org_unit_id = k.org_unit_id and s.user_id = k.user_id and s.skill_id = k.skill_id
				and s.completed_at = k.completed_at and s.submission_id = k.submission_id offset 0) s))
)
select distinct org_unit_id, user_id, skill_id from keys order by 1, 2, 3
