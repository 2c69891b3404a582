package projection

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// ofDay is what the cells of a question have in common.
const ofDay = "org_unit_id, question_version_id, evaluation_version_id, run_label, day"

// itemKey is the key of report_evaluation_items. itemCells gives the values of it for a row r
// that counts at a time, and the lateral tables that they need.
const itemKey = "org_unit_id, evaluation_version_id, cut, hours, run_label, group_id, since, question_version_id"

func itemCells(at, question string) (values, tables string) {
	var spans []string
	for cut, all := range SpansOf {
		for _, span := range all {
			spans = append(spans, "('"+cut+"', "+hoursOf(span)+")")
		}
	}
	slices.Sort(spans)
	return "r.org_unit_id, r.evaluation_version_id, c.cut, s.hours, c.run_label, c.group_id, " + spanSQL("s.hours", at) + ", " + question,
		cuts + ", lateral (select hours from (values " + strings.Join(spans, ", ") + ") v (cut, hours) where v.cut = c.cut) s"
}

// pickedColumns are the items f of submissions r as the cells count them.
var pickedColumns = `
	f.org_unit_id, f.evaluation_id, f.evaluation_version_id, coalesce(f.run_label, '') as run_label, ` + spanSQL(hoursOf(Quarter), "f.completed_at") + ` as quarter,
	(f.completed_at at time zone 'UTC')::date as day, r.group_id, f.is_correct, f.is_omitted, f.time_on_item_ms, f.focus_lost, ` + choiceColumns

// itemCounting counts items for the cells of questions and lists. The measures are taken once for
// each cut, in its shortest span; longer spans are sums of these. To take the cuts from what they
// have in common would save nothing: with many runs and groups nearly every item is alone there.
// A report reads many rows of a group or a question: their order keeps them together.
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
		part{"of_run", with + `
	select org_unit_id, question_version_id, evaluation_version_id, run_label, quarter, f.evaluation_id, f.qtype, ` + dayMeasures + `
	from picked f group by 1, 2, 3, 4, 5, 6, 7`},
		part{"of_group", with + `
	select org_unit_id, question_version_id, evaluation_version_id, f.group_id, quarter, ` + joined(ItemMeasures, "%[2]s as %[1]s") + `
	from picked f where f.group_id is not null group by 1, 2, 3, 4, 5`},
		part{"of_run_group", with + `
	select org_unit_id, question_version_id, evaluation_version_id, run_label, f.group_id, day, ` + joined(ItemMeasures, "%[2]s as %[1]s") + `
	from picked f where f.group_id is not null group by 1, 2, 3, 4, 5, 6`},
		part{"timed", with + `
	select ` + ofDay + `, duration_step(f.time_on_item_ms, ` + timeBits + `) as step_ms, count(*) as n
	from picked f where not f.is_omitted and f.time_on_item_ms is not null group by 1, 2, 3, 4, 5, 6`},
		part{"chosen", with + `
	select * from (` + choiceKinds("f."+strings.ReplaceAll(ofDay, ", ", ", f.")) + `) k`})
	c.cells = []cells{
		{table: "report_question_choice_day", columns: ofDay + ", kind, code, n", sql: `
	select $1::uuid, ` + ofDay + `, kind, code, ` + e.sign() + `n from chosen order by 2, 3`,
			key: "org_unit_id, question_version_id, kind, evaluation_version_id, run_label, day, code", sums: adding(n)},
		{table: "report_question_times", columns: ofDay + ", step_ms, n", sql: `
	select $1::uuid, ` + ofDay + `, step_ms, ` + e.sign() + `n from timed order by 2, 3, 4, 5, 6, 7`,
			key: ofDay + ", step_ms", sums: adding(n)},
		{table: "report_evaluation_items", columns: itemKey + ", " + joined(ItemMeasures, "%[1]s"), sql: allListCells(e),
			key: itemKey, sums: adding(ItemMeasures)},
		{table: "report_question_day", columns: ofDay + ", evaluation_id, qtype, " + dayColumns, sql: `
	select $1::uuid, org_unit_id, question_version_id, evaluation_version_id, run_label, (quarter at time zone 'UTC')::date, evaluation_id, qtype,
		` + summed(e, "", dayCells) + `
	from of_run group by 2, 3, 4, 5, 6, 7, 8 order by 2, 6, 4, 3`,
			key: ofDay, sums: adding(dayCells)},
	}
	return c
}

// allListCells come, of one version, in the order of their key: an index takes what belongs at its
// end in half the time.
func allListCells(e extent) string {
	var all []string
	for _, cut := range slices.Sorted(maps.Keys(SpansOf)) {
		for _, span := range SpansOf[cut] {
			all = append(all, listCells(e, cut, span))
		}
	}
	return strings.Join(all, "\n\tunion all")
}

// listCells are the cells of a cut and span: the rows of the part that counts the cut, in its
// shortest span, and sums of these. What is sorted begins with the columns of a fixed width, and
// what is the same in all of it is added afterwards: so a comparison finds its columns at once.
func listCells(e extent, cut string, span time.Duration) string {
	run, group, since := "run_label", "group_id", "quarter"
	switch cut {
	case "run":
		group = noGroup
	case "group":
		run = "''"
	case "run_group":
		since = "day::timestamp at time zone 'UTC'"
	}
	measures, grouped := joined(ItemMeasures, "%[1]s"), ""
	if span != SpansOf[cut][0] {
		since, measures, grouped = spanSQL(hoursOf(span), since), summed(whole, "", ItemMeasures), "group by 1, 2, 3, 4, 5, 6 "
	}
	return `
	select $1::uuid, org_unit_id, evaluation_version_id, '` + cut + `', ` + hoursOf(span) + `, run_label, group_id, since, question_version_id,
		` + joined(ItemMeasures, e.sign()+"%[1]s") + `
	from (select org_unit_id, evaluation_version_id, ` + group + ` as group_id, ` + since + ` as since, question_version_id, ` + run + ` as run_label,
		` + measures + `
	from of_` + cut + ` ` + grouped + `order by 1, 2, 6, 3, 4, 5) c`
}
