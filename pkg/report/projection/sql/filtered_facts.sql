-- What is known of the questions $3 whose org units $2 are counted together.
with rekeys as (
	select f.* from report_question_keys f
	where f.tenant_id = $1 and f.org_unit_id = any($2) and f.question_version_id = any($3) and f.rule = 'rekey'
), options as (
	select {{one unit}} as unit, f.* from report_question_options f
	where f.tenant_id = $1 and f.org_unit_id = any($2) and f.question_version_id = any($3)
), parts as (
	select {{one unit}} as unit, f.* from report_question_parts f
	where f.tenant_id = $1 and f.org_unit_id = any($2) and f.question_version_id = any($3)
), shown as (
	select {{one unit}} as unit, f.* from report_question_sections f
	where f.tenant_id = $1 and f.org_unit_id = any($2) and f.question_version_id = any($3) and {{shown in}}
)
