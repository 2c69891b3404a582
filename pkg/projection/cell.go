package projection

import "strings"

// ofDay is what the cells of a question have in common.
const ofDay = "org_unit_id, question_version_id, evaluation_version_id, run_label, day"

// pickedColumns are the items f of submissions r as the cells count them.
const pickedColumns = `
	f.org_unit_id, f.evaluation_id, f.evaluation_version_id, coalesce(f.run_label, '') as run_label,
	(f.completed_at at time zone 'UTC')::date as day, r.group_id, f.is_correct, f.is_omitted, f.time_on_item_ms, f.focus_lost, ` + choiceColumns

// addItemsSQL counts the items of chosen submissions. "offset 0" holds the planner to finding
// them submission by submission: of a tenant that is too young for the statistics it expects
// no rows at all, and would begin with all of them.
//
// addAllItemsSQL counts all of a tenant ($2 is null). It keeps no copy of the items, but goes
// through them once for each kind of cell.
var (
	addItemsSQL = addCells(true, `materialized (
	select `+pickedColumns+`
	from report_submissions r cross join lateral (select * from report_item_attempts_flat
		where tenant_id = $1 and submission_id = r.submission_id offset 0) f
	where r.tenant_id = $1 and r.submission_id = any($2))`)
	addAllItemsSQL = addCells(false, `not materialized (
	select `+pickedColumns+`
	from report_item_attempts_flat f
	left join report_submissions r on r.tenant_id = f.tenant_id and r.submission_id = f.submission_id
	where f.tenant_id = $1 and $2::uuid[] is null)`)
)

// addCells counts the items of the CTE picked for the cells of questions and groups. The
// measures are taken once, by group and day; the days of questions are the sums of these. A
// report reads many rows of a group or a question: their order keeps them together.
//
// Only merged cells may be there already: those of a rebuild are new, and written faster so.
func addCells(merged bool, picked string) string {
	merge := func(key, set string) string {
		if !merged {
			return ""
		}
		return "on conflict (tenant_id, " + key + ") do update set " + set
	}
	return `
with picked as ` + picked + `, cells as materialized (
	select ` + ofDay + `, f.group_id, f.evaluation_id, f.qtype, ` + dayMeasures + `
	from picked f group by 1, 2, 3, 4, 5, 6, 7, 8
), timed as materialized (
	select ` + ofDay + `, duration_step(f.time_on_item_ms, ` + timeBits + `) as step_ms, count(*) as n
	from picked f where not f.is_omitted and f.time_on_item_ms is not null group by 1, 2, 3, 4, 5, 6
), choices as (
	insert into report_question_choice_day as d (tenant_id, ` + ofDay + `, kind, code, n)
	select $1::uuid, ` + ofDay + `, kind, code, $3::int * n from (` + choiceKinds("f."+strings.ReplaceAll(ofDay, ", ", ", f.")) + `) k
	` + merge("org_unit_id, question_version_id, kind, evaluation_version_id, run_label, day, code", "n = d.n + excluded.n") + `
), times as (
	insert into report_question_times as d (tenant_id, ` + ofDay + `, step_ms, n)
	select $1::uuid, ` + ofDay + `, step_ms, $3::int * n from timed order by 2, 3, 4, 5, 6, 7
	` + merge(ofDay+", step_ms", "n = d.n + excluded.n") + `
), groups as (
	insert into report_group_items as d (tenant_id, ` + ofDay + `, group_id, ` + joined(ItemMeasures, "%[1]s") + `)
	select $1::uuid, ` + ofDay + `, group_id, ` + joined(ItemMeasures, "$3::int * %[1]s") + `
	from cells where group_id is not null
	order by 2, 4, 7, 5, 6, 3
	` + merge("org_unit_id, evaluation_version_id, group_id, run_label, day, question_version_id",
		joined(ItemMeasures, "%[1]s = d.%[1]s + excluded.%[1]s")) + `
)
insert into report_question_day as d (tenant_id, ` + ofDay + `, evaluation_id, qtype, ` + joined(dayCells, "%[1]s") + `)
select $1::uuid, ` + ofDay + `, evaluation_id, qtype, ` + joined(dayCells, "$3::int * sum(%[1]s)") + `
from cells group by ` + ofDay + `, evaluation_id, qtype
` + merge(ofDay, joined(dayCells, "%[1]s = d.%[1]s + excluded.%[1]s"))
}
