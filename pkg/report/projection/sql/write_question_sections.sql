-- Writes where the snapshots put the questions that the submissions $2, or all of a tenant for null,
-- contain, as write_question_tags does for tags.
insert into report_question_sections (tenant_id, org_unit_id, evaluation_version_id, question_version_id, section_id, position, contributes)
select distinct on (2, 3, 4) $1::uuid, s.org_unit_id, s.evaluation_version_id, (i ->> 'questionVersionId')::uuid, (t.value ->> 'id')::uuid, t.place - 1,
	coalesce((i #>> '{key,contributesToScore}')::boolean, true)
from (select distinct org_unit_id, evaluation_version_id, snapshot_hash from {{submissions or all}} s) s
join version_snapshots v on v.tenant_id = $1 and v.hash = s.snapshot_hash,
	jsonb_array_elements(v.content -> 'sections') with ordinality t (value, place), jsonb_array_elements(t.value -> 'items') i
where exists (select from report_question_day d where d.tenant_id = $1 and d.org_unit_id = s.org_unit_id
	and d.question_version_id = (i ->> 'questionVersionId')::uuid and d.evaluation_version_id = s.evaluation_version_id offset 0)
order by 2, 3, 4, 6
on conflict do nothing
