-- Writes what the snapshots say of the questions that the submissions $2, or all of a tenant for null,
-- contain. It runs after the days are counted: these tell which questions were drawn, without a
-- look at every item.
with {{question_facts}}, facts as materialized (
	select s.org_unit_id, s.evaluation_version_id, g.question_version_id, g.tags, g.options, g.right_order, g.prompts, g.pairs, g.gaps
	from (select distinct org_unit_id, evaluation_version_id, snapshot_hash from {{submissions or all}} s) s
	join tagged g on g.hash = s.snapshot_hash
	where exists (select from report_question_day d where d.tenant_id = $1 and d.org_unit_id = s.org_unit_id
		and d.question_version_id = g.question_version_id and d.evaluation_version_id = s.evaluation_version_id offset 0)
), options as (
	insert into report_question_options (tenant_id, org_unit_id, question_version_id, option_id, position, is_correct)
	select distinct on (u.tenant_id, r.org_unit_id, r.question_version_id, o.value ->> 'id')
		u.tenant_id, r.org_unit_id, r.question_version_id, o.value ->> 'id', o.ordinality,
		coalesce((o.value ->> 'isCorrect')::boolean, false)
	from facts r {{of its unit}}, jsonb_array_elements(nullif(r.options, 'null')) with ordinality o
	order by u.tenant_id, r.org_unit_id, r.question_version_id, o.value ->> 'id', o.ordinality
	on conflict do nothing
), parts as (
	insert into report_question_parts (tenant_id, org_unit_id, question_version_id, part_id, position, right_values)
	select distinct on (u.tenant_id, r.org_unit_id, r.question_version_id, p.id)
		u.tenant_id, r.org_unit_id, r.question_version_id, p.id, p.place, p.right_values
	from facts r {{of its unit}}, lateral (
		select id, place, array[place::text] as right_values from jsonb_array_elements_text(nullif(r.right_order, 'null')) with ordinality o (id, place)
		union all
		select q ->> 'id', place, array(select string_agg(e ->> 1, '+' order by (e ->> 1) collate "C")
			from jsonb_array_elements(nullif(r.pairs, 'null')) e where e ->> 0 = q ->> 'id' having count(*) > 0)
		from jsonb_array_elements(nullif(r.prompts, 'null')) with ordinality o (q, place)
		union all
		select q ->> 'id', place, case when q ->> 'kind' in ({{kinds of chosen gaps}})
			then array(select jsonb_array_elements_text(nullif(q -> 'correctOptionIds', 'null'))) else '{right}' end
		from jsonb_array_elements(nullif(r.gaps, 'null')) with ordinality o (q, place)
	) p
	order by u.tenant_id, r.org_unit_id, r.question_version_id, p.id, p.place
	on conflict do nothing
)
insert into report_question_tags (tenant_id, org_unit_id, tag, question_version_id, evaluation_version_id)
select distinct $1::uuid, f.org_unit_id, facet.key || ':' || term, f.question_version_id, f.evaluation_version_id
from facts f, jsonb_each(nullif(f.tags, 'null')) facet, jsonb_array_elements_text(facet.value) term
order by 1, 2, 3, 4, 5
on conflict do nothing
