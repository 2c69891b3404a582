package projection

import "strings"

// ofDay is what the cells of a question have in common.
const ofDay = "org_unit_id, question_version_id, evaluation_version_id, run_label, day"

// pickedColumns are the items f of submissions r as the cells count them.
const pickedColumns = `
	f.org_unit_id, f.evaluation_id, f.evaluation_version_id, coalesce(f.run_label, '') as run_label,
	(f.completed_at at time zone 'UTC')::date as day, r.group_id, f.is_correct, f.is_omitted, f.time_on_item_ms, f.focus_lost, ` + choiceColumns

// itemCounting counts items for the cells of questions and groups. The measures are taken once,
// by group and day; the days of questions are the sums of these. A report reads many rows of a
// group or a question: their order keeps them together.
//
// A batch keeps a copy of its items. "offset 0" holds the planner to finding them submission by
// submission: of a tenant that is too young for the statistics it expects no rows at all, and
// would begin with all of them. A rebuild goes through all items once for each part.
func itemCounting(e extent) counting {
	c := counting{what: "count items"}
	with := ""
	if e == whole {
		with = `with picked as not materialized (
	select ` + pickedColumns + `
	from report_item_attempts_flat f
	left join report_submissions r on r.tenant_id = f.tenant_id and r.submission_id = f.submission_id
	where f.tenant_id = $1)`
	} else {
		c.parts = []part{{"picked", `
	select ` + pickedColumns + `
	from report_submissions r cross join lateral (select * from report_item_attempts_flat
		where tenant_id = $1 and submission_id = r.submission_id offset 0) f
	where r.tenant_id = $1` + e.of("r.submission_id")}}
	}
	n := []SummaryMeasure{{Name: "n"}}
	c.parts = append(c.parts,
		part{"cells", with + `
	select ` + ofDay + `, f.group_id, f.evaluation_id, f.qtype, ` + dayMeasures + `
	from picked f group by 1, 2, 3, 4, 5, 6, 7, 8`},
		part{"timed", with + `
	select ` + ofDay + `, duration_step(f.time_on_item_ms, ` + timeBits + `) as step_ms, count(*) as n
	from picked f where not f.is_omitted and f.time_on_item_ms is not null group by 1, 2, 3, 4, 5, 6`},
		part{"chosen", with + `
	select * from (` + choiceKinds("f."+strings.ReplaceAll(ofDay, ", ", ", f.")) + `) k`})
	c.cells = []cells{
		{table: "report_question_choice_day", columns: ofDay + ", kind, code, n", sql: `
	select $1::uuid, ` + ofDay + `, kind, code, ` + e.sign() + `n from chosen`,
			key: "org_unit_id, question_version_id, kind, evaluation_version_id, run_label, day, code", sums: adding(n)},
		{table: "report_question_times", columns: ofDay + ", step_ms, n", sql: `
	select $1::uuid, ` + ofDay + `, step_ms, ` + e.sign() + `n from timed order by 2, 3, 4, 5, 6, 7`,
			key: ofDay + ", step_ms", sums: adding(n)},
		{table: "report_group_items", columns: ofDay + ", group_id, " + joined(ItemMeasures, "%[1]s"), sql: `
	select $1::uuid, ` + ofDay + `, group_id, ` + joined(ItemMeasures, e.sign()+"%[1]s") + `
	from cells where group_id is not null order by 2, 4, 7, 5, 6, 3`,
			key: "org_unit_id, evaluation_version_id, group_id, run_label, day, question_version_id", sums: adding(ItemMeasures)},
		{table: "report_question_day", columns: ofDay + ", evaluation_id, qtype, " + dayColumns, sql: `
	select $1::uuid, ` + ofDay + `, evaluation_id, qtype, ` + joined(dayCells, e.sign()+"sum(%[1]s)") + `
	from cells group by ` + ofDay + `, evaluation_id, qtype`,
			key: ofDay, sums: adding(dayCells)},
	}
	return c
}
