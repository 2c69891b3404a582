package submission

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/kernel/scoring"
)

// Cause says why scores are corrected, and who does it.
type Cause struct {
	// Reason is one of the reasons of score_versions, except the one for submit.
	Reason        string
	RemediationID *ids.ID
	Actor         string
}

// Rescoring is a new version of the scores of one submission: its totals, and the items
// that changed.
type Rescoring struct {
	SubmissionID ids.ID
	Result       scoring.Result
	Items        []CorrectedItem
}

// CorrectedItem is an item of a submission with its new score. The answer, and whether there is
// one, does not change.
type CorrectedItem struct {
	ID    ids.ID
	Score scoring.Item
}

// correctSQL reads the submissions as they were for the versions, since every part of a
// statement sees the same state, and moves their pointers. It finds them by their key each
// time: a part of the statement that held them would be searched row by row.
const correctSQL = `
with submitted as (
	insert into score_versions (tenant_id, submission_id, number, org_unit_id, reason, actor, score, max_score,
		outcome_code, outcome_label, created_at)
	select tenant_id, id, 1, org_unit_id, 'submitted', submitted_by, score, max_score, outcome_code, outcome_label, completed_at
	from unnest($5::uuid[]) g (submission_id)
	cross join lateral (select * from submissions o where o.tenant_id = $1 and o.id = g.submission_id and o.score_version = 1 offset 0) o
), version as (
	insert into score_versions (tenant_id, submission_id, number, org_unit_id, reason, remediation_id, actor, score, max_score,
		outcome_code, outcome_label, created_at)
	select o.tenant_id, o.id, o.score_version + 1, o.org_unit_id, $2, $3, $4, g.score::numeric, g.max_score::numeric,
		g.outcome_code, g.outcome_label, $21
	from unnest($5::uuid[], $6::float8[], $7::float8[], $8::text[], $9::text[])
		g (submission_id, score, max_score, outcome_code, outcome_label)
	cross join lateral (select * from submissions o where o.tenant_id = $1 and o.id = g.submission_id offset 0) o
), items as (
	insert into item_scores (tenant_id, submission_id, submission_item_id, number, org_unit_id, score_status, score_method,
		score, max_score, is_correct, invalid_code, correct_selected, incorrect_selected, total_correct, right_parts)
	select o.tenant_id, o.id, i.id, o.score_version + 1, o.org_unit_id, i.status, i.method, i.score::numeric, i.max_score::numeric,
		i.is_correct, i.invalid_code, i.correct_selected, i.incorrect_selected, i.total_correct, i.right_parts
	from unnest($10::uuid[], $11::uuid[], $12::text[], $13::text[], $14::float8[], $15::float8[], $16::bool[], $17::text[],
		$18::int[], $19::int[], $20::int[], $23::text[]) i (submission_id, id, status, method, score, max_score, is_correct, invalid_code,
		correct_selected, incorrect_selected, total_correct, right_parts)
	cross join lateral (select * from submissions o where o.tenant_id = $1 and o.id = i.submission_id offset 0) o
), pointer as (
	update submissions s set score = g.score::numeric, max_score = g.max_score::numeric, outcome_code = g.outcome_code,
		outcome_label = g.outcome_label, pending = g.pending, score_version = s.score_version + 1
	from unnest($5::uuid[], $6::float8[], $7::float8[], $8::text[], $9::text[], $22::bool[])
		g (submission_id, score, max_score, outcome_code, outcome_label, pending)
	where s.tenant_id = $1 and s.id = g.submission_id
)
insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
select $1, 'submission', id, $21 from unnest($5::uuid[]) id order by id returning true`

// Rescore appends a version to the scores of each submission, points the submissions to
// them, and queues their projection, in one statement for any number of them. The caller has locked
// their rows, has found that something changes, and has checked who may do it.
func Rescore(ctx context.Context, tx *db.Tx, cause Cause, all []Rescoring) error {
	if len(all) == 0 {
		return nil
	}
	var of, submissions uuids
	var rescored []ids.ID
	var scores, maxScores []float64
	var codes, labels []string
	var pending []bool
	var c columns
	for _, one := range all {
		of, rescored = append(of, uuid(one.SubmissionID)), append(rescored, one.SubmissionID)
		scores, maxScores = append(scores, one.Result.Score), append(maxScores, one.Result.MaxScore)
		codes, labels = append(codes, string(one.Result.OutcomeCode)), append(labels, one.Result.OutcomeLabel)
		pending = append(pending, one.Result.Pending)
		for _, item := range one.Items {
			submissions = append(submissions, uuid(one.SubmissionID))
			c.ids = append(c.ids, uuid(item.ID))
			c.score(item.Score)
		}
	}
	_, err := tx.Exec(ctx, correctSQL, tx.Tenant(), cause.Reason, cause.RemediationID, cause.Actor, of, scores, maxScores,
		codes, labels, submissions, c.ids, c.statuses, c.methods, c.scores, c.maxScores, c.correct, c.invalid, c.right,
		c.wrong, c.total, tx.Now(), pending, c.rightParts)
	if err != nil {
		return fmt.Errorf("correct scores: %w", err)
	}
	return tell(ctx, tx, rescored)
}

// VersionEvent says that a version of a submission's scores was written down, and what it is.
const VersionEvent = "score_version.recorded"

// newVersionsSQL reads the versions that were just written: with the second comes the first, which a submit does not write.
const newVersionsSQL = `
select g.submission_id, v.org_unit_id, v.number, v.reason, v.remediation_id, v.score::text, v.max_score::text, v.outcome_code
from unnest($2::uuid[]) g (submission_id)
cross join lateral (select score_version as number from submissions s where s.tenant_id = $1 and s.id = g.submission_id offset 0) s
cross join lateral (select * from score_versions o where o.tenant_id = $1 and o.submission_id = g.submission_id
	and (o.number = s.number or s.number = 2 and o.number = 1) offset 0) v
order by g.submission_id, v.number`

// tell writes an event for each version that was just written.
func tell(ctx context.Context, tx *db.Tx, of []ids.ID) error {
	rows, err := tx.Query(ctx, newVersionsSQL, tx.Tenant(), of)
	if err != nil {
		return fmt.Errorf("read new versions of scores: %w", err)
	}
	var submission, unit ids.ID
	var remediation *ids.ID
	var number int
	var reason, score, most, outcome string
	var events []ledger.Event
	_, err = pgx.ForEachRow(rows, []any{&submission, &unit, &number, &reason, &remediation, &score, &most, &outcome}, func() error {
		payload := map[string]any{"scoreVersion": number, "reason": reason, "score": score, "maxScore": most, "outcomeCode": outcome}
		if remediation != nil {
			payload["remediationId"] = *remediation
		}
		events = append(events, ledger.Event{Type: VersionEvent, SubjectType: "submission", SubjectID: submission, OrgUnit: unit, Payload: payload})
		return nil
	})
	if err != nil {
		return fmt.Errorf("read new versions of scores: %w", err)
	}
	return ledger.Append(ctx, tx, events...)
}
