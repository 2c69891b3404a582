-- Makes the facts of the submissions $2 what their flat rows say, whatever they were, and locks the
-- figures that this touches. It gives their keys.
with fresh as materialized (
{{skill_facts}}
), stored as materialized (
	select * from report_skill_facts where tenant_id = $1 and submission_id = any($2)
), coming as materialized (
	table fresh except table stored
), going as materialized (
	table stored except table fresh
), deleted as (
	delete from report_skill_facts where ctid = any(array(
		select c.ctid from (
			select submission_id, submission_item_id, rule_id from going
			except select submission_id, submission_item_id, rule_id from coming) g
		cross join lateral (select ctid from report_skill_facts t where t.tenant_id = $1 and t.submission_id = g.submission_id
			and t.submission_item_id = g.submission_item_id and t.rule_id = g.rule_id offset 0) c))
), written as (
	insert into report_skill_facts select * from coming
	on conflict (tenant_id, submission_id, submission_item_id, rule_id) do update set org_unit_id = excluded.org_unit_id,
		skill_id = excluded.skill_id, user_id = excluded.user_id, question_version_id = excluded.question_version_id,
		completed_at = excluded.completed_at, value = excluded.value, weight = excluded.weight, term_id = excluded.term_id
), touched as materialized (
	select org_unit_id, user_id, skill_id from coming union select org_unit_id, user_id, skill_id from going
), locked as (
	insert into report_skill_rollups (tenant_id, org_unit_id, user_id, skill_id, value, facts_n, submissions_n)
	select $1::uuid, org_unit_id, user_id, skill_id, 0, 0, 0 from touched order by 2, 3, 4
	on conflict (tenant_id, org_unit_id, user_id, skill_id) do update set facts_n = 0 where false
)
select org_unit_id, user_id, skill_id from touched order by 1, 2, 3
