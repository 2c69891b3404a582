package projection

import "slices"

// cuts is a lateral table c of the cuts that a row r of report_session_starts or
// report_submissions belongs to.
const (
	noGroup = `'00000000-0000-0000-0000-000000000000'::uuid`
	cuts    = `lateral (values ('all', '', ` + noGroup + `), ('run', r.run_label, ` + noGroup + `),
		('group', '', r.group_id), ('run_group', r.run_label, r.group_id)) c (cut, run_label, group_id)`
	cutColumns = `org_unit_id, evaluation_version_id, cut, run_label, group_id`
	ofCut      = `r.org_unit_id, r.evaluation_version_id, c.cut, c.run_label, c.group_id`
	// wholeEvaluation is the cut of all attempts at an evaluation, in the rollup alone.
	wholeEvaluation = `'evaluation', '', ` + noGroup
)

// dayCounting counts rows of a table into report_evaluation_day, and the first measure into the
// rollup too. at is the time that decides about the day. The measures are taken once, by run,
// group and day; the cuts are sums of these.
func dayCounting(e extent, name, table, id, at string, measures []SummaryMeasure) counting {
	counted, names := measures[0].Name, joined(measures, "%[1]s")
	sums := e.sign() + "sum(r." + counted + ")"
	return counting{"count " + name + " by day", []part{{name, `
	select r.org_unit_id, r.evaluation_version_id, r.evaluation_id, r.run_label, r.group_id, (r.` + at + ` at time zone 'UTC')::date as day,
		` + joined(measures, "%[2]s as %[1]s") + `
	from ` + table + ` r where r.tenant_id = $1` + e.of("r."+id) + `
	group by 1, 2, 3, 4, 5, 6`}}, []cells{
		{table: "report_evaluation_day", columns: cutColumns + ", day, evaluation_id, " + names, sql: `
	select $1::uuid, ` + ofCut + `, r.day, r.evaluation_id, ` + joined(measures, e.sign()+"sum(r.%[1]s)") + `
	from ` + name + ` r, ` + cuts + ` where c.group_id is not null
	group by ` + ofCut + `, r.day, r.evaluation_id`, key: cutColumns + ", day", sums: adding(measures), shared: true},
		{table: "report_evaluation_rollup", columns: cutColumns + ", evaluation_id, " + counted, sql: `
	select $1::uuid, ` + ofCut + `, r.evaluation_id, ` + sums + `
	from ` + name + ` r, ` + cuts + ` where c.group_id is not null
	group by ` + ofCut + `, r.evaluation_id
	union all
	select $1::uuid, r.org_unit_id, r.evaluation_id, ` + wholeEvaluation + `, r.evaluation_id, ` + sums + `
	from ` + name + ` r group by r.org_unit_id, r.evaluation_id`, key: cutColumns, sums: adding(measures[:1]), shared: true},
	}}
}

func startCounting(e extent) counting {
	return dayCounting(e, "starts", "report_session_starts", "session_id", "attempt_at", StartMeasures)
}

func completionCounting(e extent) counting {
	return dayCounting(e, "completions", "report_submissions", "submission_id", "completed_at", slices.Concat(CompletionMeasures, CompletionSums))
}

// bandTimes is a lateral table t of the times that a band of a row r of a day is counted for.
func bandTimes(day string) string {
	return "lateral (values (0, '-infinity'::date), (7, date_trunc('week', " + day + ")::date), (1, " + day + ")) t (days, day)"
}

// durationCounting counts durations in steps, and in bands by time. Their order keeps together
// what is read together.
func durationCounting(e extent) counting {
	sum := []SummaryMeasure{{Name: "n"}}
	band := "duration_step(r.step_ms, " + BandBits + ")"
	return counting{"count durations", []part{{"durations", `
	select r.org_unit_id, r.evaluation_version_id, r.run_label, r.group_id, (r.completed_at at time zone 'UTC')::date as day,
		duration_step(r.duration_ms, ` + DurationBits + `) as step_ms, count(*) as n
	from report_submissions r where r.tenant_id = $1` + e.of("r.submission_id") + ` and r.duration_ms is not null
	group by 1, 2, 3, 4, 5, 6`}}, []cells{
		{table: "report_evaluation_bands", columns: cutColumns + ", days, day, band_ms, n", sql: `
	select $1::uuid, ` + ofCut + `, t.days, t.day, ` + band + `, ` + e.sign() + `sum(r.n)
	from durations r, ` + cuts + `, ` + bandTimes("r.day") + ` where c.group_id is not null
	group by ` + ofCut + `, t.days, t.day, ` + band + ` order by 2, 3, 4, 5, 6, 7, 8, 9`, key: cutColumns + ", days, day, band_ms", sums: adding(sum)},
		{table: "report_evaluation_durations", columns: cutColumns + ", step_ms, n", sql: `
	select $1::uuid, ` + ofCut + `, r.step_ms, ` + e.sign() + `sum(r.n)
	from durations r, ` + cuts + ` where c.group_id is not null
	group by ` + ofCut + `, r.step_ms order by 2, 3, 4, 5, 6, 7`, key: cutColumns + ", step_ms", sums: adding(sum)},
	}}
}
