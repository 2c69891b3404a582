package projection

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/readiness"
	"assess/pkg/trust/standing"
)

// exceptionRow is what the projector knows of a submission in the exceptions queue. People set
// State, except where a fresh look changes it.
type exceptionRow struct {
	Submission, Org, Evaluation ids.ID
	Engagement                  *ids.ID
	Active                      bool
	Readiness                   string
	Reasons                     []string
	State                       string
}

const readExceptionsSQL = `
select submission_id, org_unit_id, evaluation_id, engagement_id, is_active, readiness_state, reasons, state
from defensibility_exception_triage where tenant_id = $1 and submission_id = any($2)`

// A cleared issue resolves the row, a present one opens a resolved row again; owner and suppression
// stay (specification, section 3). The age counts from when the issue came up.
const writeExceptionsSQL = `
insert into defensibility_exception_triage as t (tenant_id, submission_id, org_unit_id, evaluation_id, user_id, engagement_id,
	completed_at, is_active, readiness_state, reasons, state, first_seen_at, last_seen_at, updated_at)
select $1, k.submission_id, k.org_unit_id, k.evaluation_id, s.user_id, k.engagement_id, s.completed_at, k.is_active, k.readiness_state,
	string_to_array(k.reasons, ' '), case when k.readiness_state = 'met' then 'resolved' else 'open' end,
	case when k.readiness_state <> 'met' then $2::timestamptz end, case when k.readiness_state <> 'met' then $2::timestamptz end, $2
from unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::bool[], $8::text[], $9::text[])
	k (submission_id, org_unit_id, evaluation_id, engagement_id, is_active, readiness_state, reasons)
cross join lateral (select user_id, completed_at from submissions s where s.tenant_id = $1 and s.id = k.submission_id offset 0) s
order by k.submission_id
on conflict (tenant_id, submission_id) do update set engagement_id = excluded.engagement_id, is_active = excluded.is_active,
	readiness_state = excluded.readiness_state, reasons = excluded.reasons,
	state = case when excluded.readiness_state = 'met' then 'resolved' when t.state = 'resolved' then 'open' else t.state end,
	first_seen_at = case when excluded.readiness_state <> 'met' and t.readiness_state = 'met' then excluded.first_seen_at else t.first_seen_at end,
	last_seen_at = coalesce(excluded.last_seen_at, t.last_seen_at),
	updated_at = greatest(excluded.updated_at, just_after(t.updated_at))`

// lockStanding keeps two batches from judging a submission at once: the slower one would write what
// it read before the other one wrote.
var lockStanding = []operation{{"lock submissions", lockSubmissionsSQL}}

// refreshExceptions brings the queue up to date with submissions, which are locked. Only rows that
// change are written; confirm writes every row that is not met, to say that it was seen.
func refreshExceptions(ctx context.Context, tx *db.Tx, submissions []ids.ID, confirm bool) error {
	changed, moved, err := compareExceptions(ctx, tx, submissions, confirm)
	if err != nil || len(moved) == 0 {
		return err
	}
	err = writeExceptions(ctx, tx, changed)
	if err != nil {
		return err
	}
	return moved.apply(ctx, tx)
}

// dropSQL deletes the rows of deleted submissions and of erased people. When two batches try, each row goes to one
// of them.
const dropSQL = `
delete from defensibility_exception_triage t where t.tenant_id = $1 and t.submission_id = any($2)
returning submission_id, org_unit_id, evaluation_id, engagement_id, is_active, readiness_state, reasons, state`

// compareExceptions judges submissions anew and gives the rows that have to be written, and how
// that changes the counts. On the way it records the readiness at submit.
func compareExceptions(ctx context.Context, tx *db.Tx, submissions []ids.ID, confirm bool) ([]exceptionRow, standingCounts, error) {
	all, err := standing.Read(ctx, tx, submissions)
	if err != nil || len(submissions) == 0 {
		return nil, nil, err
	}
	err = standing.KeepExecutions(ctx, tx, all)
	if err != nil {
		return nil, nil, err
	}
	moved := standingCounts{}
	all = slices.DeleteFunc(all, func(s standing.Standing) bool { return s.Gone })
	if len(all) < len(submissions) {
		deleted, err := exceptionRows(ctx, tx, dropSQL, absent(submissions, all))
		if err != nil {
			return nil, nil, err
		}
		for _, row := range deleted {
			moved.add(row, -1)
		}
	}
	known, err := exceptionRows(ctx, tx, readExceptionsSQL, submissions)
	if err != nil {
		return nil, nil, err
	}
	before := map[ids.ID]exceptionRow{}
	for _, row := range known {
		before[row.Submission] = row
	}
	var changed []exceptionRow
	for _, s := range all {
		is := exceptionOf(s, s.Blocks(tx.Now()).ProofReadiness.Reasons)
		was, there := before[s.ID]
		if there && is.same(was) && !(confirm && is.stands()) {
			continue
		}
		changed = append(changed, is)
		moved.add(was, -1)
		moved.add(is, 1)
	}
	return changed, moved, nil
}

// absent are the submissions that do not belong in the queue.
func absent(submissions []ids.ID, all []standing.Standing) []ids.ID {
	there := map[ids.ID]bool{}
	for _, s := range all {
		there[s.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(submissions), func(id ids.ID) bool { return there[id] })
}

func exceptionRows(ctx context.Context, tx *db.Tx, sql string, submissions []ids.ID) ([]exceptionRow, error) {
	rows, err := tx.Query(ctx, sql, tx.Tenant(), submissions)
	if err != nil {
		return nil, fmt.Errorf("read exceptions: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[exceptionRow])
	if err != nil {
		return nil, fmt.Errorf("read exceptions: %w", err)
	}
	return all, nil
}

func exceptionOf(s standing.Standing, reasons []string) exceptionRow {
	return exceptionRow{Submission: s.ID, Org: s.OrgUnit, Evaluation: s.Evaluation, Engagement: s.Engagement, Active: !s.Facts.Voided,
		Readiness: string(readiness.Overall(reasons)), Reasons: reasons}
}

func (r exceptionRow) stands() bool { return r.Readiness != string(readiness.Met) }

// same says whether a fresh look would leave the row as it was.
func (r exceptionRow) same(was exceptionRow) bool {
	return r.Readiness == was.Readiness && r.Active == was.Active && slices.Equal(r.Reasons, was.Reasons) &&
		!(r.stands() && was.State == models.ExceptionResolved)
}

func writeExceptions(ctx context.Context, tx *db.Tx, all []exceptionRow) error {
	var submissions, orgs, evaluations []ids.ID
	var engagements []*ids.ID
	var active []bool
	var states, reasons []string
	for _, r := range all {
		submissions, orgs, evaluations = append(submissions, r.Submission), append(orgs, r.Org), append(evaluations, r.Evaluation)
		engagements, active = append(engagements, r.Engagement), append(active, r.Active)
		states, reasons = append(states, r.Readiness), append(reasons, joinWords(r.Reasons))
	}
	_, err := tx.Exec(ctx, writeExceptionsSQL, tx.Tenant(), tx.Now(), submissions, orgs, evaluations, engagements, active, states, reasons)
	if err != nil {
		return fmt.Errorf("write exceptions: %w", err)
	}
	return nil
}

// askLevelsSQL queues a fresh look at the submissions of versions that were published at levels.
const askLevelsSQL = `
with concerned as materialized (
	select v.tenant_id, s.id from version_snapshots v
	join evaluation_versions e on e.tenant_id = v.tenant_id and e.snapshot_hash = v.hash
	cross join lateral (select id from submissions s where s.tenant_id = $1 and s.evaluation_version_id = e.id offset 0) s
	where v.tenant_id = $1 and coalesce(v.verification_policy ->> 'requiredLevel', v.settings ->> 'verificationLevel', 'L1') = any($2)
)
insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
select tenant_id, 'readiness', id, $3 from concerned returning true`

// askLevels spreads a change of policies over the submissions that it may concern: they are looked at
// batch by batch like all others, and only rows that change are written.
func askLevels(ctx context.Context, tx *db.Tx, subjects []ids.ID) error {
	if len(subjects) == 0 {
		return nil
	}
	var levels []string
	for _, id := range sortedIDs(subjects) {
		levels = append(levels, fmt.Sprintf("L%d", id[len(id)-1]))
	}
	err := configure(ctx, tx, map[string]string{"statement_timeout": "0"})
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, askLevelsSQL, tx.Tenant(), levels, tx.Now())
	if err != nil {
		return fmt.Errorf("ask for the submissions of a level: %w", err)
	}
	return nil
}
