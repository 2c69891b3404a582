package projection

// cuts is a lateral table c of the cuts that a row r of report_session_starts or
// report_submissions belongs to.
const (
	noGroup = `'00000000-0000-0000-0000-000000000000'::uuid`
	cuts    = `lateral (values ('all', '', ` + noGroup + `), ('run', coalesce(r.run_label, ''), ` + noGroup + `),
		('group', '', r.group_id), ('run_group', coalesce(r.run_label, ''), r.group_id)) c (cut, run_label, group_id)`
	cutColumns = `org_unit_id, evaluation_version_id, cut, run_label, group_id`
	ofCut      = `r.org_unit_id, r.evaluation_version_id, c.cut, c.run_label, c.group_id`
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
on conflict (tenant_id, ` + cutColumns + `) do update set ` + counted + ` = d.` + counted + ` + excluded.` + counted
}

var (
	addStartsSQL      = addDays("report_session_starts", "session_id", "attempt_at", StartMeasures)
	addCompletionsSQL = addDays("report_submissions", "submission_id", "completed_at", append(CompletionMeasures, CompletionSums...))
)

const addDurationsSQL = `
insert into report_evaluation_durations as d (tenant_id, ` + cutColumns + `, step_ms, n)
select $1::uuid, ` + ofCut + `, duration_step(r.duration_ms), $3::int * count(*)
from report_submissions r, ` + cuts + `
where r.tenant_id = $1 and r.submission_id = any($2) and r.duration_ms is not null and c.group_id is not null
group by 2, 3, 4, 5, 6, 7
on conflict (tenant_id, ` + cutColumns + `, step_ms) do update set n = d.n + excluded.n`

// addTakersSQL keeps the numbers of different users beside the users, because counting them
// anew for each batch would take longer with each of them. A user is new when the row holds
// just what was added, and gone when nothing is left.
const addTakersSQL = `
with added as materialized (
	select ` + ofCut + `, r.user_id, $3::int * count(*) as starts,
		$3::int * count(*) filter (where r.is_invited) as invited,
		$3::int * count(*) filter (where r.is_invited and r.is_completed) as completed
	from report_session_starts r, ` + cuts + `
	where r.tenant_id = $1 and r.session_id = any($2) and c.group_id is not null
	group by 1, 2, 3, 4, 5, 6
), merged as (
	insert into report_evaluation_takers as t (tenant_id, ` + cutColumns + `, user_id, starts_n, invited_n, invited_completed_n)
	select $1::uuid, * from added
	on conflict (tenant_id, ` + cutColumns + `, user_id) do update set starts_n = t.starts_n + excluded.starts_n,
		invited_n = t.invited_n + excluded.invited_n, invited_completed_n = t.invited_completed_n + excluded.invited_completed_n
	returning ` + cutColumns + `, user_id, starts_n, invited_n, invited_completed_n
), moved as (
	select ` + cutColumns + `,
		count(*) filter (where starts_n > 0) - count(*) filter (where starts_n - starts > 0) as users,
		count(*) filter (where invited_n > 0) - count(*) filter (where invited_n - invited > 0) as started,
		count(*) filter (where invited_completed_n > 0) - count(*) filter (where invited_completed_n - completed > 0) as done
	from merged join added using (` + cutColumns + `, user_id)
	group by ` + cutColumns + `
)
update report_evaluation_rollup r set unique_users_n = r.unique_users_n + m.users,
	invitees_started_n = r.invitees_started_n + m.started, invitees_completed_n = r.invitees_completed_n + m.done
from moved m
where r.tenant_id = $1 and (r.org_unit_id, r.evaluation_version_id, r.cut, r.run_label, r.group_id)
	= (m.org_unit_id, m.evaluation_version_id, m.cut, m.run_label, m.group_id)
	and (m.users <> 0 or m.started <> 0 or m.done <> 0)`
