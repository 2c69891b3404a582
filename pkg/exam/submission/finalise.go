package submission

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// endSQL ends the session. The update waits for a save or submit that holds the session's row and then looks at the row
// as that left it, so that a revision, view or deadline which has moved on, or a session that is no longer open, ends in no row at all.
const endSQL = `
update sessions set state = $4, ended_at = $5
where tenant_id = $1 and id = $2 and state || '' = 'open' and revision = $3 and view = $6 and deadline_at is not distinct from $7
returning org_unit_id, evaluation_id, evaluation_version_id, started_at, run_label, seed,
	case when $8::text is null or $8 = any(acted_by) then acted_by else coalesce(acted_by, '{}') || $8::text end`

// heldSQL waits for transactions that place or lift a hold on the person, and sees their result; the foreign key of the
// record takes the same lock anyway.
const heldSQL = "select held from users where tenant_id = $1 and id = $2 for key share"

const (
	// A tenant has few versions of policies, and which of them counts depends on the neighbouring statements.
	retentionSQL = `select json_agg(json_build_object('id', id, 'days', days, 'scope', scope, 'evaluation', evaluation_id, 'outcome', outcome,
		'assignment', assignment_kind) order by number desc) from retention_policies where tenant_id = $1 and domain = 'submissions'`
	batchSQL = "select batch_id, target_type from assignments where tenant_id = $1 and id = $2"
)

const recordSQL = `
insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_at,
	assignment_id, batch_id, run_label, seed, acted_by, status, submitted_by, completion_method, completed_at, snapshot_hash, approval_status,
	score, max_score, outcome_code, outcome_label, pending, retain_until, retention_basis, hold_flag)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'completed', $13, $14, $15, $16, $17,
	$18::float8::numeric, $19::float8::numeric, $20, $21, $22, $23, $24, $25)`

const itemsSQL = `
insert into submission_items (tenant_id, submission_id, org_unit_id, id, item_id, question_version_id, position,
	qtype, response, score_status, score_method, score, max_score, is_correct, is_omitted, omit_reason,
	invalid_code, correct_selected, incorrect_selected, total_correct, time_spent_ms, answered_at, started_at, right_parts)
select s.tenant_id, s.id, s.org_unit_id, i.id, item_id, question_version_id, n - 1,
	qtype, i.response::jsonb, i.status, method, i.score::numeric, i.max_score::numeric, is_correct, is_omitted, omit_reason,
	invalid_code, correct_selected, incorrect_selected, total_correct, time_spent_ms, answered_at, i.started_at, right_parts
from sessions s cross join unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[],
	$9::text[], $10::float8[], $11::float8[], $12::bool[], $13::bool[], $14::text[], $15::text[], $16::int[],
	$17::int[], $18::int[], $19::bigint[], $20::timestamptz[], $21::timestamptz[], $22::text[]) with ordinality
	as i (id, item_id, question_version_id, qtype, response, status, method, score, max_score, is_correct,
		is_omitted, omit_reason, invalid_code, correct_selected, incorrect_selected, total_correct,
		time_spent_ms, answered_at, started_at, right_parts, n)
where s.tenant_id = $1 and s.id = $2
returning true`

const projectSQL = "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'submission', $2, $3)"

// ending has the parts of the record that come from the session, the person, the assignment and the
// tenant's policy.
type ending struct {
	unit, evaluation, version ids.ID
	startedAt                 time.Time
	runLabel                  *string
	seed                      int64
	actedBy                   []string
	held                      bool
	policies                  []keeping
	batch                     *ids.ID
	handedOut                 *string
}

// keeping is a version of a retention policy; without days none is in force.
type keeping struct {
	ID                  ids.ID
	Days                *int
	Scope               string
	Evaluation          *ids.ID
	Outcome, Assignment *string
}

// Finalise ends an open session at the revision that was scored and writes submission, items and outbox row. It gives false, and changes nothing, when the session is no longer open, holds another revision or has got another
// deadline. The caller has checked that the actor may act on the session.
func Finalise(ctx context.Context, tx *db.Tx, r Record) (bool, error) {
	var by *string
	if actor := tx.Actor().String(); r.CompletionMethod == models.CompletionProctorSubmitted {
		by = &actor
	}
	var e ending
	found, err := tx.Together(ctx,
		db.Statement{SQL: endSQL, Args: []any{tx.Tenant(), r.SessionID, r.Revision, r.State, r.CompletedAt, r.View, r.DeadlineAt, by},
			Dest: []any{&e.unit, &e.evaluation, &e.version, &e.startedAt, &e.runLabel, &e.seed, &e.actedBy}},
		db.Statement{SQL: heldSQL, Args: []any{tx.Tenant(), r.UserID}, Dest: []any{&e.held}},
		db.Statement{SQL: retentionSQL, Args: []any{tx.Tenant()}, Dest: []any{&e.policies}},
		db.Statement{SQL: batchSQL, Args: []any{tx.Tenant(), r.AssignmentID}, Dest: []any{&e.batch, &e.handedOut}})
	if err != nil {
		return false, fmt.Errorf("finalise session: %w", err)
	}
	if !found[0] {
		return false, nil
	}
	_, err = tx.Together(ctx, r.row(tx, e), r.items(tx), db.Statement{SQL: projectSQL, Args: []any{tx.Tenant(), r.SessionID, tx.Now()}})
	if err != nil {
		return false, fmt.Errorf("finalise session: %w", err)
	}
	return true, nil
}

func (r Record) row(tx *db.Tx, e ending) db.Statement {
	until, basis := e.retention(r.CompletedAt, string(r.Result.OutcomeCode))
	return db.Statement{SQL: recordSQL, Args: []any{tx.Tenant(), r.SessionID, e.unit, e.evaluation, e.version, r.UserID, e.startedAt,
		r.AssignmentID, e.batch, e.runLabel, e.seed, e.actedBy, tx.Actor().String(), r.CompletionMethod, r.CompletedAt, r.SnapshotHash, r.ApprovalStatus,
		r.Result.Score, r.Result.MaxScore, string(r.Result.OutcomeCode), r.Result.OutcomeLabel, r.Result.Pending, until, basis, e.held}}
}

// retention says until when a record completed at that time is kept, and by which policy; nil means for ever.
func (e ending) retention(completed time.Time, outcome string) (*time.Time, *string) {
	chosen := e.choose(outcome)
	if chosen == nil {
		return nil, nil
	}
	until, basis := completed.UTC().AddDate(0, 0, *chosen.Days), "policy:"+chosen.ID.String()
	return &until, &basis
}

// choose gives the most specific policy in force for the record: by evaluation first, then by outcome, then by the way in
// which it was handed out. Of each the newest version comes first.
func (e ending) choose(outcome string) *keeping {
	handedOut := "none"
	if e.handedOut != nil {
		handedOut = *e.handedOut
	}
	var best *keeping
	weight, seen := -1, map[string]bool{}
	for i, p := range e.policies {
		if seen[p.Scope] {
			continue
		}
		seen[p.Scope] = true
		fits := (p.Evaluation == nil || *p.Evaluation == e.evaluation) && (p.Outcome == nil || *p.Outcome == outcome) && (p.Assignment == nil || *p.Assignment == handedOut)
		if p.Days == nil || !fits {
			continue
		}
		n := 0
		for bit, named := range []bool{p.Assignment != nil, p.Outcome != nil, p.Evaluation != nil} {
			if named {
				n += 1 << bit
			}
		}
		if n > weight {
			best, weight = &e.policies[i], n
		}
	}
	return best
}

func (r Record) items(tx *db.Tx) db.Statement {
	c := columnsOf(r.Items)
	return db.Statement{SQL: itemsSQL, Args: []any{tx.Tenant(), r.SessionID, c.ids, c.items, c.questions, c.qtypes, c.responses, c.statuses,
		c.methods, c.scores, c.maxScores, c.correct, c.omitted, c.omitReasons, c.invalid, c.right, c.wrong, c.total, c.times, c.answered, c.started, c.rightParts}}
}
