package retention

import (
	"fmt"
	"slices"
	"strings"

	"assess/pkg/people/policy"
	"assess/pkg/trust/datamap"
)

// target is something that a policy erases, row by row.
type target struct {
	domain string
	// deletes says that only a policy that deletes is about it.
	deletes bool
	// page gives the next rows in the order of their age: id, age, user and submission, the last two null where
	// there is none. $1 is the tenant, $2 the cutoff, $3 and $4 age and id of the row before, $5 how many; $6,
	// only for submissions, is how they name the policy. Raw events have no index by age: they come in the order
	// of their sessions, and with events whose time is not over.
	page string
	// projected is the kind of outbox row that brings the figures up to date after deleting.
	projected string
	// sealed says that the log over the states of submissions has to know of it.
	sealed bool
	// redact and remove are the statements of the two actions: $1 is the tenant, $2 the ids of the rows.
	redact, remove []statement
}

// statement erases from one table; counts go by its name. One without a name lets go of files.
type statement struct{ table, sql string }

// letGo makes the claims on files of records that are about to go as old as can be, so that the step behind the sweep
// deletes the files. Somebody who uploads the same bytes meanwhile makes the claim young again.
func letGo(claims, records, column string) statement {
	return statement{sql: "update " + claims + " set touched_at = 'epoch' where tenant_id = $1 and sha256 = any(array(select held_sha256 from " + records +
		" where tenant_id = $1 and " + column + " = any($2) and held_sha256 is not null))"}
}

var (
	letEvidenceGo = letGo("evidence_blobs", "evidence", "id")
	letExportsGo  = letGo("compliance_blobs", "compliance_artifacts", "job_id")
)

var targets = []target{
	{domain: submissions, projected: "submission", sealed: true, page: `
		select id, retain_until, user_id, id from submissions
		where tenant_id = $1 and retention_basis = $6 and retain_until <= $2 and (retain_until, id) > ($3, $4::uuid) and erased_at is null
		order by retain_until, id limit $5`,
		redact: append(byMap(datamap.Submissions, datamap.Evidence, datamap.Sessions),
			statement{"submissions", "update submissions set erased_at = current_timestamp, texts_erased = true where tenant_id = $1 and id = any($2) and erased_at is null"}),
		remove: []statement{
			letGo("evidence_blobs", "evidence", "submission_id"),
			{"submissions", "delete from submissions where tenant_id = $1 and id = any($2)"},
			{"verifications", "delete from verifications where tenant_id = $1 and subject_id = any($2)"},
			{"sessions", "delete from sessions where tenant_id = $1 and id = any($2)"},
		}},
	{domain: files, page: `
		select e.id, e.created_at, s.user_id, e.submission_id from (
			select id, created_at, submission_id from evidence
			where tenant_id = $1 and created_at <= $2 and (created_at, id) > ($3, $4::uuid) and erased_at is null
			order by created_at, id limit $5) e
		cross join lateral (select user_id from submissions where tenant_id = $1 and id = e.submission_id offset 0) s
		order by e.created_at, e.id`,
		redact: []statement{letEvidenceGo, {"evidence", "update evidence set " + marks("evidence") + " where tenant_id = $1 and id = any($2) and erased_at is null"}},
		remove: []statement{letEvidenceGo, {"evidence", "delete from evidence where tenant_id = $1 and id = any($2)"}}},
	{domain: "sessions", projected: "session", page: `
		select id, ended_at, user_id, id from sessions
		where tenant_id = $1 and ended_at <= $2 and (ended_at, id) > ($3, $4::uuid) and swept_at is null
		order by ended_at, id limit $5`,
		redact: sweepSessions,
		remove: append([]statement{{"sessions", `delete from sessions s where tenant_id = $1 and id = any($2)
			and not exists (select from submissions r where r.tenant_id = $1 and r.id = s.id)`}}, sweepSessions...)},
	{domain: "telemetry", page: `
		with recursive next (id) as (
			(select session_id from session_events where tenant_id = $1 and session_id > $4::uuid order by session_id limit 1)
			union all
			select (select e.session_id from session_events e where e.tenant_id = $1 and e.session_id > n.id order by e.session_id limit 1)
			from next n where n.id is not null
		)
		select n.id, s.ended_at, s.user_id, n.id from next n
		cross join lateral (select user_id, coalesce(ended_at, $2::timestamptz + interval '1 day') as ended_at
			from sessions where tenant_id = $1 and id = n.id offset 0) s
		where n.id is not null and $3::timestamptz is not null limit $5`,
		redact: dropEvents, remove: dropEvents},
	{domain: "telemetry", deletes: true, projected: "submission", page: `
		select t.submission_id, t.last_activity_at, s.user_id, t.submission_id from (
			select submission_id, last_activity_at from submission_telemetry_summary
			where tenant_id = $1 and last_activity_at <= $2 and (last_activity_at, submission_id) > ($3, $4::uuid)
			order by last_activity_at, submission_id limit $5) t
		cross join lateral (select user_id from submissions where tenant_id = $1 and id = t.submission_id offset 0) s
		order by t.last_activity_at, t.submission_id`,
		remove: []statement{{"submission_telemetry_summary", "delete from submission_telemetry_summary where tenant_id = $1 and submission_id = any($2)"}}},
	{domain: "exports", page: `
		select a.job_id, a.created_at, j.subject_id, null::uuid from (
			select distinct created_at, job_id from compliance_artifacts
			where tenant_id = $1 and created_at <= $2 and (created_at, job_id) > ($3, $4::uuid) and expires_at is not null and erased_at is null
			order by created_at, job_id limit $5) a
		cross join lateral (select subject_id from compliance_jobs where tenant_id = $1 and id = a.job_id offset 0) j
		order by a.created_at, a.job_id`,
		redact: dropExports, remove: dropExports},
}

var (
	sweepSessions = append(byMap(datamap.Sessions), statement{"sessions", "update sessions set swept_at = current_timestamp where tenant_id = $1 and id = any($2) and swept_at is null"})
	dropEvents    = []statement{{"session_events", "delete from session_events where tenant_id = $1 and session_id = any($2)"}}
	dropExports   = []statement{letExportsGo, {"compliance_artifacts", `update compliance_artifacts set erased_at = current_timestamp
		where tenant_id = $1 and job_id = any($2) and expires_at is not null and erased_at is null`}}
)

// steps gives what an action does.
func (t target) steps(action string) []statement {
	if action == policy.Delete {
		return t.remove
	}
	return t.redact
}

// byMap erases rows about submissions in these domains as the data map says. Files of evidence have a
// policy of their own.
func byMap(domains ...string) []statement {
	var all []statement
	for _, t := range datamap.Tables {
		column := t.SubmissionColumn()
		if column == "" || !slices.Contains(domains, t.Domain) || t.Name == "evidence" {
			continue
		}
		switch t.Row {
		case datamap.Delete:
			all = append(all, statement{t.Name, fmt.Sprintf("delete from %s where tenant_id = $1 and %s = any($2)", t.Name, column)})
		case datamap.Redact:
			var changes []string
			for _, c := range t.Redacted() {
				changes = append(changes, c.Name+" is distinct from "+c.Erased)
			}
			all = append(all, statement{t.Name, fmt.Sprintf("update %s set %s where tenant_id = $1 and %s = any($2) and (%s)",
				t.Name, marks(t.Name), column, strings.Join(changes, " or "))})
		}
	}
	return all
}

// marks are the assignments that erase what a row of a table holds of a person.
func marks(name string) string {
	t, _ := datamap.Find(name)
	var sets []string
	for _, c := range t.Redacted() {
		sets = append(sets, c.Name+" = "+c.Erased)
	}
	return strings.Join(sets, ", ")
}
