package projection

// ItemMeasures are what tags and sections of a summary are made of, over flat rows f.
var ItemMeasures = []SummaryMeasure{
	{"attempts_n", "count(*)"},
	{"scored_n", "count(*) filter (where f.score_status = 'SCORED')"},
	{"correct_n", "count(*) filter (where f.score_status = 'SCORED' and f.is_correct)"},
	{"omitted_n", "count(*) filter (where f.is_omitted)"},
	{"time_n", "count(f.time_on_item_ms) filter (where not f.is_omitted)"},
	{"time_sum_ms", "coalesce(sum(f.time_on_item_ms) filter (where not f.is_omitted), 0)::bigint"},
	{"score_pct_sum", `coalesce(sum(round(f.score_awarded / nullif(f.max_score, 0), 10)) filter (where f.score_status = 'SCORED'), 0)`},
}

// addGroupItemsSQL counts the items of groups; "offset 0" is explained at addQuestionDaysSQL.
var addGroupItemsSQL = `
insert into report_group_items as d (tenant_id, ` + groupItemColumns + `, ` + joined(ItemMeasures, "%[1]s") + `)
select $1::uuid, ` + groupItemColumns + `, ` + joined(ItemMeasures, "$3::int * %[1]s") + `
from (
	select r.org_unit_id, r.evaluation_version_id, r.group_id, coalesce(r.run_label, '') as run_label,
		(r.completed_at at time zone 'UTC')::date as day, f.question_version_id, ` + joined(ItemMeasures, "%[2]s as %[1]s") + `
	from report_submissions r, lateral (select * from report_item_attempts_flat
		where tenant_id = $1 and submission_id = r.submission_id offset 0) f
	where r.tenant_id = $1 and r.submission_id = any($2) and r.group_id is not null
	group by 1, 2, 3, 4, 5, 6
) i
on conflict (tenant_id, ` + groupItemColumns + `) do update set ` + joined(ItemMeasures, "%[1]s = d.%[1]s + excluded.%[1]s")

const groupItemColumns = "org_unit_id, evaluation_version_id, group_id, run_label, day, question_version_id"

// writeSectionsSQL writes where the snapshots put the questions that the submissions
// contain, as writeFactsSQL does for tags.
const writeSectionsSQL = `
insert into report_question_sections (tenant_id, org_unit_id, evaluation_version_id, question_version_id, section_id, position, contributes)
select distinct on (2, 3, 4) $1::uuid, s.org_unit_id, s.evaluation_version_id, (i ->> 'questionVersionId')::uuid, (t.value ->> 'id')::uuid, t.place - 1,
	coalesce((i #>> '{key,contributesToScore}')::boolean, true)
from (select distinct org_unit_id, evaluation_version_id, snapshot_hash from submissions where tenant_id = $1 and id = any($2)) s
join version_snapshots v on v.tenant_id = $1 and v.hash = s.snapshot_hash,
	jsonb_array_elements(v.content -> 'sections') with ordinality t (value, place), jsonb_array_elements(t.value -> 'items') i
where exists (select from report_question_day d where d.tenant_id = $1 and d.org_unit_id = s.org_unit_id
	and d.question_version_id = (i ->> 'questionVersionId')::uuid and d.evaluation_version_id = s.evaluation_version_id)
order by 2, 3, 4, 6
on conflict do nothing`
