package translog

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// records are the rows of a table that events tell of. Rows and events meet in the subject of the events and
// the key of the record among the records of its subject.
type records struct {
	table  string
	fields []string
	// rows reads the records of the subjects $2: subject, key, and the fields as text, null for none.
	rows string
	// events reads the same out of events in their order. A field that an event does not speak of is null, and one that
	// it empties is an empty text.
	events string
	// types are the events.
	types []string
	// gone reads which of the subjects $2 a job of the ledger deleted; empty where nothing is deleted.
	gone string
	// byID says that events and records have the same id, and do not meet in the subject.
	byID bool
	// subjects gives the next subjects behind $2, at most $3, in the order of the primary key.
	subjects string
}

const stamp = `'YYYY-MM-DD"T"HH24:MI:SS.US'`

func moment(column string) string { return "to_char(" + column + " at time zone 'UTC', " + stamp + ")" }

// goneSubmissionSQL finds submissions that a job deleted, with everything that belongs to them.
const goneSubmissionSQL = `
select wanted.id from unnest($2::uuid[]) as wanted (id)
where not exists (select from submissions s where s.tenant_id = $1 and s.id = wanted.id) and exists (` + byJob + `)`

// byJob finds the event of a job that erased the record with the id wanted.id.
const byJob = `
	select from ledger_events e cross join lateral (select from compliance_jobs j where j.tenant_id = $1 and j.id::text = e.payload ->> 'jobId' offset 0) j
	where e.tenant_id = $1 and e.subject_id = wanted.id and e.event_type in ('submission.erased', 'evidence.erased')`

// goneWith finds records that went with their submission, or by themselves; told are the events that say whose they are.
func goneWith(told ...string) string {
	return `
with of as materialized (
	select r.id as record, (e.payload ->> 'submissionId')::uuid as submission from unnest($2::uuid[]) as r (id)
	cross join lateral (select payload from ledger_events where tenant_id = $1 and subject_id = r.id and event_type in ('` + strings.Join(told, "', '") + `') order by seq limit 1) e
)
select wanted.id from (select record as id from of) wanted where exists (` + byJob + `)
union
select wanted.record from (select record, submission as id from of) wanted
where not exists (select from submissions s where s.tenant_id = $1 and s.id = wanted.id) and exists (` + byJob + `)`
}

var audited = []records{
	{
		table:  "score_versions",
		fields: []string{"reason", "remediation_id", "score", "max_score", "outcome_code"},
		types:  []string{submission.VersionEvent},
		rows: `select v.submission_id, v.number::text, array[v.reason, v.remediation_id::text, v.score::text, v.max_score::text, v.outcome_code]
			from unnest($2::uuid[]) as wanted (id) cross join lateral (select * from score_versions s where s.tenant_id = $1 and s.submission_id = wanted.id offset 0) v`,
		events: `payload ->> 'scoreVersion', array[payload ->> 'reason', payload ->> 'remediationId', payload ->> 'score', payload ->> 'maxScore', payload ->> 'outcomeCode']`,
		gone:   goneSubmissionSQL, subjects: "select id from submissions where tenant_id = $1 and id > $2 order by id limit $3",
	},
	{
		table:  "submission_decisions",
		fields: []string{"decision", "actor", "decided_at"},
		types:  []string{"submission.approved", "submission.rejected", "submission.changes_requested", "submission.reopened", "submission.voided"},
		rows: `select v.submission_id, v.id::text, array[v.decision, v.actor, ` + moment("v.decided_at") + `]
			from unnest($2::uuid[]) as wanted (id) cross join lateral (select * from submission_decisions s where s.tenant_id = $1 and s.submission_id = wanted.id offset 0) v`,
		events: `payload ->> 'decisionId', array[case when event_type = 'submission.approved' then 'approve' when event_type = 'submission.rejected' then 'reject'
			when event_type = 'submission.changes_requested' then 'request_changes' when event_type = 'submission.reopened' then 'reopen' else 'void' end, actor, ` + moment("occurred_at") + `]`,
		gone: goneSubmissionSQL, subjects: "select id from submissions where tenant_id = $1 and id > $2 order by id limit $3",
	},
	{
		table:  "evidence",
		fields: []string{"submission_id", "item_id", "kind", "media_type", "size_bytes", "sha256", "storage_tier", "added_by", "created_at", "voided_by", "voided_at"},
		types:  []string{"evidence.file.attached", "evidence.voided", "evidence.tier.changed"},
		rows: `select v.id, '', array[v.submission_id::text, v.item_id::text, v.kind, v.media_type, v.size_bytes::text, v.sha256, v.storage_tier, v.added_by, ` +
			moment("v.created_at") + `, v.voided_by, ` + moment("v.voided_at") + `]
			from unnest($2::uuid[]) as wanted (id) cross join lateral (select * from evidence s where s.tenant_id = $1 and s.id = wanted.id offset 0) v`,
		events: `'', array[payload ->> 'submissionId', payload ->> 'itemId', payload ->> 'kind', payload ->> 'mediaType', payload ->> 'sizeBytes',
			case when event_type = 'evidence.file.attached' then payload ->> 'sha256' end,
			case when event_type = 'evidence.file.attached' then payload ->> 'storageTier' when event_type = 'evidence.tier.changed' then payload ->> 'to' end,
			case when event_type = 'evidence.file.attached' then actor end, case when event_type = 'evidence.file.attached' then ` + moment("occurred_at") + ` end,
			case when event_type = 'evidence.voided' then actor end, case when event_type = 'evidence.voided' then ` + moment("occurred_at") + ` end]`,
		gone: goneWith("evidence.file.attached"), subjects: "select id from evidence where tenant_id = $1 and id > $2 order by id limit $3",
	},
	{
		table:  "findings",
		fields: []string{"submission_id", "item_id", "code", "severity", "detected_by", "detected_at", "ledger_event_id"},
		types:  []string{"finding.detected"},
		rows: `select v.id, '', array[v.submission_id::text, v.item_id::text, v.code, v.severity, v.detected_by, ` + moment("v.detected_at") + `, v.ledger_event_id::text]
			from unnest($2::uuid[]) as wanted (id) cross join lateral (select * from findings s where s.tenant_id = $1 and s.id = wanted.id offset 0) v`,
		events: `'', array[payload ->> 'submissionId', payload ->> 'itemId', payload ->> 'code', payload ->> 'severity', actor, ` + moment("occurred_at") + `, id::text]`,
		gone:   goneWith("finding.detected"), subjects: "select id from findings where tenant_id = $1 and id > $2 order by id limit $3",
	},
	{
		table:  "item_marks",
		fields: []string{"item_id", "score", "actor", "marked_at"},
		types:  []string{"submission.item.scored"},
		rows: `select v.submission_id, v.score_version::text, array[i.item_id::text, trim_scale(v.score)::text, v.actor, ` + moment("v.marked_at") + `]
			from unnest($2::uuid[]) as wanted (id) cross join lateral (select * from item_marks s where s.tenant_id = $1 and s.submission_id = wanted.id offset 0) v
			left join submission_items i on i.tenant_id = $1 and i.submission_id = v.submission_id and i.id = v.submission_item_id`,
		events: `payload ->> 'scoreVersion', array[payload ->> 'itemId', trim_scale((payload ->> 'score')::numeric(20, 10))::text, actor, ` + moment("occurred_at") + `]`,
		gone:   goneSubmissionSQL, subjects: "select id from submissions where tenant_id = $1 and id > $2 order by id limit $3",
	},
	{
		table:  "submission_cases",
		fields: []string{"kind", "submission_id", "state", "raised_by", "raised_at", "decided_by", "decided_at", "findings"},
		types:  []string{"claim.raised", "claim.upheld", "claim.rejected", "claim.withdrawn", "dispute.raised", "dispute.upheld", "dispute.rejected", "dispute.withdrawn"},
		rows: `select v.id, '', array[v.kind, v.submission_id::text, v.state, v.raised_by, ` + moment("v.raised_at") + `, v.decided_by, ` + moment("v.decided_at") + `,
			(select coalesce(string_agg(f.finding_id::text, ' ' order by f.finding_id), '') from case_findings f
				where f.tenant_id = $1 and f.submission_id = v.submission_id and f.case_id = v.id)]
			from unnest($2::uuid[]) as wanted (id) cross join lateral (select * from submission_cases s where s.tenant_id = $1 and s.id = wanted.id offset 0) v`,
		events: `'', array[subject_type, payload ->> 'submissionId', case when event_type like '%.raised' then 'open' else split_part(event_type, '.', 2) end,
			case when event_type like '%.raised' then actor end, case when event_type like '%.raised' then ` + moment("occurred_at") + ` end,
			case when event_type not like '%.raised' then actor end, case when event_type not like '%.raised' then ` + moment("occurred_at") + ` end,
			(select coalesce(string_agg(f, ' ' order by f::uuid), '') from jsonb_array_elements_text(payload -> 'findingIds') f)]`,
		gone: goneWith("claim.raised", "dispute.raised"), subjects: "select id from submission_cases where tenant_id = $1 and id > $2 order by id limit $3",
	},
	{
		table:  "holds",
		fields: []string{"kind", "reason_code", "submission_id", "matter", "review_at", "placed_by", "placed_at", "lifted_by", "lifted_at"},
		types:  []string{"hold.placed", "hold.lifted", "hold.reviewed"},
		rows: `select v.subject_id, v.id::text, array[v.kind, v.reason_code, v.submission_id::text, nullif(v.matter, ''), ` + moment("v.review_at") + `,
			v.placed_by, ` + moment("v.placed_at") + `, v.lifted_by, ` + moment("v.lifted_at") + `]
			from unnest($2::uuid[]) as wanted (id) cross join lateral (select * from holds s where s.tenant_id = $1 and s.subject_id = wanted.id offset 0) v`,
		events: `payload ->> 'holdId', array[payload ->> 'kind', payload ->> 'reasonCode', payload ->> 'submissionId',
			payload ->> 'matter', ` + moment("(payload ->> 'reviewAt')::timestamptz") + `,
			case when event_type = 'hold.placed' then actor end, case when event_type = 'hold.placed' then ` + moment("occurred_at") + ` end,
			case when event_type = 'hold.lifted' then actor end, case when event_type = 'hold.lifted' then ` + moment("occurred_at") + ` end]`,
		subjects: "select id from users where tenant_id = $1 and id > $2 order by id limit $3",
	},
	{
		table:  "compliance_ledger",
		fields: []string{"event_type", "subject_id", "job_id", "domain", "policy_id", "cutoff", "counts", "artifact_hash", "created_at"},
		types:  complianceEvents(),
		byID:   true,
		rows: `select v.id, '', array[v.event_type, v.subject_id::text, v.job_id::text, v.domain, v.policy_id::text, ` + moment("v.cutoff") + `, v.counts::text,
			v.artifact_hash, ` + moment("v.created_at") + `]
			from unnest($2::uuid[]) as wanted (id) cross join lateral (select * from compliance_ledger s where s.tenant_id = $1 and s.id = wanted.id offset 0) v`,
		events: `'', array[event_type, case when subject_type = 'user' then subject_id::text end, payload ->> 'jobId', payload ->> 'domain', payload ->> 'policyId',
			` + moment("(payload ->> 'cutoff')::timestamptz") + `, coalesce(payload -> 'counts', '{}')::text, payload ->> 'artifactHash', ` + moment("occurred_at") + `]`,
		subjects: "select id from compliance_ledger where tenant_id = $1 and id > $2 order by id limit $3",
	},
}

// aboutSQL reads what events say of records.
func (k records) aboutSQL() string {
	return `select e.* from unnest($2::uuid[]) as wanted (id)
cross join lateral (select ` + k.meet() + `, ` + k.events + ` from ledger_events where tenant_id = $1 and ` + k.meet() + ` = wanted.id and event_type = any($3) order by seq offset 0) e`
}

func (k records) meet() string {
	if k.byID {
		return "id"
	}
	return "subject_id"
}

// heldSQL finds submissions whose flag is not what their holds say.
const heldSQL = `
select s.id from unnest($2::uuid[]) as wanted (id)
cross join lateral (select id, user_id, hold_flag from submissions where tenant_id = $1 and id = wanted.id offset 0) s
cross join lateral (select count(*) > 0 as stands from holds h where h.tenant_id = $1 and h.subject_id = s.user_id and h.lifted_at is null
	and (h.submission_id is null or h.submission_id = s.id) offset 0) h
where s.hold_flag <> h.stands order by s.id`

// verifyHeld holds the flags of submissions against the holds, which have their events.
func verifyHeld(ctx context.Context, tx *db.Tx, r *Report, piece []ids.ID) error {
	rows, err := tx.Query(ctx, heldSQL, tx.Tenant(), piece)
	if err != nil {
		return fmt.Errorf("compare submissions with holds: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return fmt.Errorf("compare submissions with holds: %w", err)
	}
	for _, id := range all {
		r.record(RecordChanged, "submissions", record{subject: id}, "hold_flag", "hold_flag of a row of submissions is not what the holds say: %s", id)
	}
	return nil
}

// flagsSQL finds people whose flags are not what their holds say.
const flagsSQL = `
select u.id, u.restricted <> h.restricted, u.held <> h.held from unnest($2::uuid[]) as wanted (id)
cross join lateral (select id, restricted, held from users where tenant_id = $1 and id = wanted.id offset 0) u
cross join lateral (select coalesce(bool_or(kind = 'processing'), false) as restricted, coalesce(bool_or(submission_id is null), false) as held
	from holds where tenant_id = $1 and subject_id = u.id and lifted_at is null offset 0) h
where (u.restricted, u.held) <> (h.restricted, h.held) order by u.id`

// verifyPeople holds the flags of people against the holds, which have their events.
func verifyPeople(ctx context.Context, tx *db.Tx, r *Report) error {
	for after := ids.None; ; {
		piece, err := idsAfter(ctx, tx, "select id from users where tenant_id = $1 and id > $2 order by id limit $3", after)
		if err == nil && len(piece) > 0 {
			err = verifyFlags(ctx, tx, r, piece)
		}
		if err != nil || len(piece) < submissionPiece {
			return err
		}
		after = piece[len(piece)-1]
	}
}

func verifyFlags(ctx context.Context, tx *db.Tx, r *Report, piece []ids.ID) error {
	rows, err := tx.Query(ctx, flagsSQL, tx.Tenant(), piece)
	if err != nil {
		return fmt.Errorf("compare people with holds: %w", err)
	}
	var id ids.ID
	var restricted, held bool
	_, err = pgx.ForEachRow(rows, []any{&id, &restricted, &held}, func() error {
		tell := func(field string) {
			r.record(RecordChanged, "users", record{subject: id}, field, "%s of a row of users is not what the holds say: %s", field, id)
		}
		if restricted {
			tell("restricted")
		}
		if held {
			tell("held")
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("compare people with holds: %w", err)
	}
	return nil
}

// verifyRecords compares the rows of tables with their events: first from the rows, which finds rows that were
// changed or have no event, then from the events, which finds rows that are gone. Both go page by page.
func verifyRecords(ctx context.Context, tx *db.Tx, r *Report) error {
	for _, k := range audited {
		err := k.verifyRows(ctx, tx, r)
		if err != nil {
			return fmt.Errorf("compare %s with the ledger: %w", k.table, err)
		}
	}
	err := verifyPeople(ctx, tx, r)
	if err != nil {
		return err
	}
	return verifyTold(ctx, tx, r)
}

func (k records) verifyRows(ctx context.Context, tx *db.Tx, r *Report) error {
	for after := ids.None; ; {
		piece, err := idsAfter(ctx, tx, k.subjects, after)
		if err == nil && len(piece) > 0 {
			err = k.compare(ctx, tx, r, piece, nil)
		}
		if err != nil || len(piece) < submissionPiece {
			return err
		}
		after = piece[len(piece)-1]
	}
}

// record says which record of a table.
type record struct {
	subject ids.ID
	key     string
}

func (c record) String() string {
	if c.key == "" {
		return c.subject.String()
	}
	return c.key
}

// read collects records; a later line about the same one replaces the fields that it has.
func read(ctx context.Context, tx *db.Tx, sql string, args ...any) (map[record][]*string, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	all := map[record][]*string{}
	var subject ids.ID
	var key *string
	var values []*string
	_, err = pgx.ForEachRow(rows, []any{&subject, &key, &values}, func() error {
		if key == nil {
			return nil
		}
		known, there := all[record{subject, *key}]
		if !there {
			known = make([]*string, len(values))
		}
		for i, v := range values {
			if v != nil {
				known[i] = v
			}
		}
		all[record{subject, *key}] = known
		return nil
	})
	return all, err
}

// compare compares the records of some subjects with their events. With gone it reports only records that are gone, and notes
// in gone what it reported; without, it reports the rest.
func (k records) compare(ctx context.Context, tx *db.Tx, r *Report, subjects []ids.ID, gone map[string]bool) error {
	rows, err := read(ctx, tx, k.rows, tx.Tenant(), subjects)
	if err != nil {
		return err
	}
	told, err := read(ctx, tx, k.aboutSQL(), tx.Tenant(), subjects, k.types)
	if err != nil {
		return err
	}
	if gone == nil {
		k.tellChanges(r, rows, told)
		return nil
	}
	var missing []record
	var of []ids.ID
	for _, c := range sortedRecords(told) {
		if _, there := rows[c]; !there {
			missing, of = append(missing, c), append(of, c.subject)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	legal, err := k.legal(ctx, tx, of)
	if err != nil {
		return err
	}
	for _, c := range missing {
		if what := k.table + "/" + c.String(); !legal[c.subject] && !gone[what] {
			if len(gone) < mostFindings {
				gone[what] = true
			}
			r.record(RecordMissing, k.table, c, "", "a row of %s is gone, and no job deleted it: %s", k.table, c)
		}
	}
	return nil
}

func (k records) tellChanges(r *Report, rows, told map[record][]*string) {
	for _, c := range sortedRecords(rows) {
		events, there := told[c]
		if !there {
			r.record(RecordAdded, k.table, c, "", "a row of %s has no event: %s", k.table, c)
			continue
		}
		for i, field := range k.fields {
			if !equal(rows[c][i], events[i]) {
				r.record(RecordChanged, k.table, c, field, "%s of a row of %s is not what its event says: %s", field, k.table, c)
			}
		}
	}
}

func sortedRecords(all map[record][]*string) []record {
	return slices.SortedFunc(maps.Keys(all), func(a, b record) int {
		return strings.Compare(a.subject.String()+a.key, b.subject.String()+b.key)
	})
}

// legal gives the subjects that were deleted by a job.
func (k records) legal(ctx context.Context, tx *db.Tx, of []ids.ID) (map[ids.ID]bool, error) {
	legal := map[ids.ID]bool{}
	if k.gone == "" {
		return legal, nil
	}
	rows, err := tx.Query(ctx, k.gone, tx.Tenant(), of)
	if err != nil {
		return nil, err
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	for _, id := range all {
		legal[id] = true
	}
	return legal, err
}

// toldSQL gives the subjects of the events of a piece of the ledger, by type.
const toldSQL = `select distinct event_type, subject_id, case when event_type = any($5) then id end from ledger_events where tenant_id = $1 and seq > $2 and seq <= $3 and event_type = any($4)`

// verifyTold walks over the events and looks for their records.
func verifyTold(ctx context.Context, tx *db.Tx, r *Report) error {
	_, last, err := sizes(ctx, tx)
	if err != nil {
		return err
	}
	var types, byID []string
	for _, k := range audited {
		types = append(types, k.types...)
		if k.byID {
			byID = append(byID, k.types...)
		}
	}
	told := map[string]bool{}
	for first := int64(0); first < last; first += exportPiece {
		rows, err := tx.Query(ctx, toldSQL, tx.Tenant(), first, first+exportPiece, types, byID)
		if err != nil {
			return fmt.Errorf("list events of records: %w", err)
		}
		about := map[string][]ids.ID{}
		var event string
		var subject ids.ID
		var id *ids.ID
		_, err = pgx.ForEachRow(rows, []any{&event, &subject, &id}, func() error {
			if id != nil {
				subject = *id
			}
			about[event] = append(about[event], subject)
			return nil
		})
		if err != nil {
			return fmt.Errorf("list events of records: %w", err)
		}
		for _, k := range audited {
			subjects := k.subjectsIn(about)
			if len(subjects) == 0 {
				continue
			}
			if err := k.compare(ctx, tx, r, subjects, told); err != nil {
				return fmt.Errorf("compare %s with the ledger: %w", k.table, err)
			}
		}
	}
	return nil
}

// subjectsIn gives the subjects of the first event of each record, so that a missing record is reported once.
func (k records) subjectsIn(about map[string][]ids.ID) []ids.ID {
	var all []ids.ID
	for _, t := range k.types {
		all = append(all, about[t]...)
	}
	slices.SortFunc(all, func(a, b ids.ID) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(all)
}

func (r *Report) record(code, table string, c record, field, format string, args ...any) {
	r.add(Finding{Code: code, Table: table, Row: c.String(), Field: field, Message: fmt.Sprintf(format, args...)})
}

// complianceEvents are the types of the events that the compliance ledger repeats.
func complianceEvents() []string {
	var all []string
	for _, job := range []string{"forget", "restrict", "dsar_export", "privacy_pack", "unlink", "retention_sweep"} {
		for _, state := range []string{"requested", models.ComplianceCompleted, models.ComplianceFailed, models.ComplianceBlocked} {
			all = append(all, job+"."+state)
		}
	}
	return all
}
