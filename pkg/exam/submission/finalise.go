package submission

import (
	"context"
	"fmt"

	"assess/pkg/kernel/db"
)

// finaliseSQL ends the session and writes its record. The update waits for a save or
// submit that holds the session's row and then looks at the row as that left it, so that a
// revision, view or deadline which has moved on, or a session that is no longer open, ends in no row at all.
// person waits for whoever places or lifts a hold, and sees what that left; the foreign key of the record
// takes the same lock anyway. record and items read the tenant from sessions, so that no other node of a cluster has to be up.
const finaliseSQL = `
with ended as (
	update sessions set state = $4, ended_at = $6
	where tenant_id = $1 and id = $2 and state || '' = 'open' and revision = $3 and view = $33 and deadline_at is not distinct from $35
	returning org_unit_id, evaluation_id, evaluation_version_id, user_id, started_at, assignment_id, run_label, seed, acted_by
), retention as (
	select id, days from retention_policies where tenant_id = $1 and domain = 'submissions' order by number desc limit 1
), person as (
	select u.held from ended e cross join lateral (
		select held from users where tenant_id = $1 and id = e.user_id offset 0 for key share) u
), record as (
	insert into submissions as made (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_at,
		assignment_id, batch_id, run_label, seed, acted_by, status, submitted_by, completion_method, completed_at, snapshot_hash, approval_status,
		score, max_score, outcome_code, outcome_label, pending, retain_until, retention_basis, hold_flag)
	select s.tenant_id, $2, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_at, assignment_id,
		case when assignment_id is not null then (select batch_id from assignments a where a.tenant_id = $1 and a.id = ended.assignment_id) end,
		run_label, seed, case when $7 = 'proctor_submitted' and $5 = any(acted_by) is not true then coalesce(acted_by, '{}') || $5::text
			else acted_by end, 'completed',
		$5, $7, $6, $8, $9, $10::float8::numeric, $11::float8::numeric, $12, $13, $34,
		$6 + retention.days * interval '24 hours', 'policy:' || retention.id, person.held
	from ended cross join (select tenant_id from sessions where tenant_id = $1 and id = $2) s
	cross join person left join retention on retention.days is not null
	returning made.org_unit_id
), items as (
	insert into submission_items (tenant_id, submission_id, org_unit_id, id, item_id, question_version_id, position,
		qtype, response, score_status, score_method, score, max_score, is_correct, is_omitted, omit_reason,
		invalid_code, correct_selected, incorrect_selected, total_correct, time_spent_ms, answered_at, started_at)
	select s.tenant_id, $2, record.org_unit_id, i.id, item_id, question_version_id, n - 1,
		qtype, response::jsonb, status, method, score::numeric, max_score::numeric, is_correct, is_omitted, omit_reason,
		invalid_code, correct_selected, incorrect_selected, total_correct, time_spent_ms, answered_at, started_at
	from record cross join (select tenant_id from sessions where tenant_id = $1 and id = $2) s
	cross join unnest($14::uuid[], $16::uuid[], $17::uuid[], $18::text[], $19::text[], $20::text[],
		$21::text[], $22::float8[], $23::float8[], $24::bool[], $25::bool[], $26::text[], $27::text[], $28::int[],
		$29::int[], $30::int[], $31::bigint[], $32::timestamptz[], $36::timestamptz[]) with ordinality
		as i (id, item_id, question_version_id, qtype, response, status, method, score, max_score, is_correct,
			is_omitted, omit_reason, invalid_code, correct_selected, incorrect_selected, total_correct,
			time_spent_ms, answered_at, started_at, n)
	returning true
)
insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
select $1, 'submission', $2, $15 from record returning true`

// Finalise ends an open session at the revision that was scored and writes submission,
// items and outbox row, in one statement. It gives false, and changes nothing, when the
// session is no longer open, holds another revision or has got another deadline. Whoever calls it has checked that
// the actor may act on the session.
func Finalise(ctx context.Context, tx *db.Tx, r Record) (bool, error) {
	c := columnsOf(r.Items)
	written, err := tx.Exec(ctx, finaliseSQL, tx.Tenant(), r.SessionID, r.Revision, r.State, tx.Actor().String(),
		r.CompletedAt, r.CompletionMethod, r.SnapshotHash, r.ApprovalStatus, r.Result.Score, r.Result.MaxScore,
		string(r.Result.OutcomeCode), r.Result.OutcomeLabel, c.ids, tx.Now(), c.items, c.questions, c.qtypes,
		c.responses, c.statuses, c.methods, c.scores, c.maxScores, c.correct, c.omitted, c.omitReasons, c.invalid,
		c.right, c.wrong, c.total, c.times, c.answered, r.View, r.Result.Pending, r.DeadlineAt, c.started)
	if err != nil {
		return false, fmt.Errorf("finalise session: %w", err)
	}
	return written == 1, nil
}
