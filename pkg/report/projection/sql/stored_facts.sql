-- What is known of the questions whose org units and ids are side by side in $2 and $3, looked up like
-- stored_attempts.
with shown as (
	select org_unit_id as unit, t.* from unnest($2::uuid[], $3::uuid[]) k (org, question), lateral (select * from report_question_sections t
		where t.tenant_id = $1 and t.org_unit_id = k.org and t.question_version_id = k.question offset 0) t
), rekeys as (
	select t.* from unnest($2::uuid[], $3::uuid[]) k (org, question), lateral (select * from report_question_keys t
		where t.tenant_id = $1 and t.org_unit_id = k.org and t.question_version_id = k.question and t.rule = 'rekey' offset 0) t
), options as (
	select org_unit_id as unit, t.* from unnest($2::uuid[], $3::uuid[]) k (org, question), lateral (select * from report_question_options t
		where t.tenant_id = $1 and t.org_unit_id = k.org and t.question_version_id = k.question offset 0) t
), parts as (
	select org_unit_id as unit, t.* from unnest($2::uuid[], $3::uuid[]) k (org, question), lateral (select * from report_question_parts t
		where t.tenant_id = $1 and t.org_unit_id = k.org and t.question_version_id = k.question offset 0) t
)
