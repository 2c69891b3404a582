package projection

// cuts is a lateral table c of the cuts that a row r of report_session_starts or
// report_submissions belongs to.
const (
	noGroup = `'00000000-0000-0000-0000-000000000000'::uuid`
	cuts    = `lateral (values ('all', '', ` + noGroup + `), ('run', coalesce(r.run_label, ''), ` + noGroup + `),
		('group', '', r.group_id), ('run_group', coalesce(r.run_label, ''), r.group_id)) c (cut, run_label, group_id)`
	cutColumns = `org_unit_id, evaluation_version_id, cut, run_label, group_id`
	ofCut      = `r.org_unit_id, r.evaluation_version_id, c.cut, c.run_label, c.group_id`
	// wholeEvaluation is the cut of all attempts at an evaluation, in the rollup alone.
	wholeEvaluation = `'evaluation', '', ` + noGroup
)

// addDays counts rows of a table into report_evaluation_day, and the first measure into the
// rollup too. at is the time that decides about the day.
func addDays(table, id, at string, measures []SummaryMeasure) string {
	counted := measures[0].Name
	return `
with counted as materialized (
	select ` + ofCut + `, r.evaluation_id, (r.` + at + ` at time zone 'UTC')::date as day,
		` + joined(measures, "%[2]s as %[1]s") + `
	from ` + table + ` r, ` + cuts + `
	where r.tenant_id = $1 and r.` + id + ` = any($2) and c.group_id is not null
	group by 1, 2, 3, 4, 5, 6, 7
), days as (
	insert into report_evaluation_day as d (tenant_id, ` + cutColumns + `, day, evaluation_id, ` + joined(measures, "%[1]s") + `)
	select $1::uuid, ` + cutColumns + `, day, evaluation_id, ` + joined(measures, "$3::int * %[1]s") + `
	from counted
	on conflict (tenant_id, ` + cutColumns + `, day) do update set ` + joined(measures, "%[1]s = d.%[1]s + excluded.%[1]s") + `
)
insert into report_evaluation_rollup as d (tenant_id, ` + cutColumns + `, evaluation_id, ` + counted + `)
select $1::uuid, ` + cutColumns + `, evaluation_id, $3::int * sum(` + counted + `)
from counted group by ` + cutColumns + `, evaluation_id
union all
select $1::uuid, org_unit_id, evaluation_id, ` + wholeEvaluation + `, evaluation_id, $3::int * sum(` + counted + `)
from counted where cut = 'all' group by org_unit_id, evaluation_id
on conflict (tenant_id, ` + cutColumns + `) do update set ` + counted + ` = d.` + counted + ` + excluded.` + counted
}

var (
	addStartsSQL      = addDays("report_session_starts", "session_id", "attempt_at", StartMeasures)
	addCompletionsSQL = addDays("report_submissions", "submission_id", "completed_at", append(CompletionMeasures, CompletionSums...))
)

// addDurationsSQL counts durations in steps, and in bands by day.
const addDurationsSQL = `
with timed as materialized (
	select ` + ofCut + `, (r.completed_at at time zone 'UTC')::date as day, duration_step(r.duration_ms, ` + DurationBits + `) as step_ms, count(*) as n
	from report_submissions r, ` + cuts + `
	where r.tenant_id = $1 and r.submission_id = any($2) and r.duration_ms is not null and c.group_id is not null
	group by 1, 2, 3, 4, 5, 6, 7
), bands as (
	insert into report_evaluation_bands as d (tenant_id, ` + cutColumns + `, day, band_ms, n)
	select $1::uuid, ` + cutColumns + `, day, duration_step(step_ms, ` + BandBits + `), $3::int * sum(n)
	from timed group by ` + cutColumns + `, day, duration_step(step_ms, ` + BandBits + `)
	on conflict (tenant_id, ` + cutColumns + `, day, band_ms) do update set n = d.n + excluded.n
)
insert into report_evaluation_durations as d (tenant_id, ` + cutColumns + `, step_ms, n)
select $1::uuid, ` + cutColumns + `, step_ms, $3::int * sum(n)
from timed group by ` + cutColumns + `, step_ms
on conflict (tenant_id, ` + cutColumns + `, step_ms) do update set n = d.n + excluded.n`
