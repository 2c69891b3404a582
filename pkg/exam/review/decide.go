package review

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/policy"
)

// Input is a decision about a submission.
type Input struct {
	SubmissionID ids.ID `path:"id" json:"-" noun:"submission"`
	Comment      string `json:"comment,omitempty" maxLength:"2000" doc:"Why; required for everything but an approval. Seen by those who may read submissions"`
}

// Result is a submission after a decision.
type Result struct {
	SubmissionID   ids.ID    `json:"submissionId"`
	Status         string    `json:"status" enum:"completed,voided"`
	ApprovalStatus string    `json:"approval_status" enum:"not_required,pending_review,approved,rejected,changes_requested"`
	DecisionID     ids.ID    `json:"decisionId"`
	DecidedBy      string    `json:"decidedBy" doc:"user:<id> or operator:<name>"`
	DecidedAt      time.Time `json:"decidedAt"`
}

// Approve accepts a submission that waits for review. Capability: submissions.review.
// Errors: not_found, already_decided, review_not_required, submission_voided,
// four_eyes_required, scores_pending while an item that counts waits to be scored,
// validation_failed, step_up_required where the policy for review actions requires a proof.
func Approve(ctx context.Context, tx *db.Tx, in Input) (Result, error) {
	return decide(ctx, tx, approve, in)
}

// Reject refuses a submission that waits for review. Capability and errors as for Approve, except
// scores_pending: the fault may be obvious before it is scored.
func Reject(ctx context.Context, tx *db.Tx, in Input) (Result, error) {
	return decide(ctx, tx, reject, in)
}

// RequestChanges sends a submission that waits for review back. Capability and errors as
// for Approve, except four_eyes_required and scores_pending: somebody with a stake may still request more.
func RequestChanges(ctx context.Context, tx *db.Tx, in Input) (Result, error) {
	return decide(ctx, tx, requestChanges, in)
}

// Reopen brings a decided submission back to review. Capability: submissions.review.
// Errors: not_found, not_decided, review_not_required, submission_voided,
// validation_failed, four_eyes_required for the person who took the submission.
func Reopen(ctx context.Context, tx *db.Tx, in Input) (Result, error) {
	return decide(ctx, tx, reopen, in)
}

func decide(ctx context.Context, tx *db.Tx, m move, in Input) (Result, error) {
	if err := tx.Require(capability.SubmissionsReview); err != nil {
		return Result{}, err
	}
	if err := errs.Invalid(errs.Prose("comment", in.Comment, maxComment, m.name != approve.name)...); err != nil {
		return Result{}, err
	}
	s, err := lock(ctx, tx, in.SubmissionID)
	if err != nil {
		return Result{}, err
	}
	if err := m.check(s); err != nil {
		return Result{}, err
	}
	authority, err := policy.Require(ctx, tx, policy.Action{AppliesTo: policy.ReviewActions, SubmissionID: s.ID})
	if err != nil {
		return Result{}, err
	}
	if m.name == reopen.name && tx.Actor().Is(s.UserID) {
		return Result{}, errOwn
	}
	if m.judges {
		err := RequireFourEyes(ctx, tx, s.ID, s.UserID)
		if err != nil {
			return Result{}, err
		}
	}
	if m.name == approve.name {
		err := requireScored(ctx, tx, s)
		if err != nil {
			return Result{}, err
		}
	}
	_, err = tx.Exec(ctx, `
		with decided as (update submissions set approval_status = $3 where tenant_id = $1 and id = $2)
		insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'submission', $2, $4)`,
		tx.Tenant(), s.ID, m.to, tx.Now())
	if err != nil {
		return Result{}, fmt.Errorf("decide about submission: %w", err)
	}
	s.ApprovalStatus = m.to
	return record(ctx, tx, s, m, in.Comment, authority)
}

// Void takes a submission out of all figures, for good: it stays, with the decisions about it.
// Capability: submissions.void, with a step-up proof. Errors: not_found, step_up_required,
// submission_voided when it is voided already, validation_failed, four_eyes_required for the person
// who took the submission.
func Void(ctx context.Context, tx *db.Tx, in Input) (Result, error) {
	if err := tx.Require(capability.SubmissionsVoid); err != nil {
		return Result{}, err
	}
	if err := errs.Invalid(errs.Prose("comment", in.Comment, maxComment, true)...); err != nil {
		return Result{}, err
	}
	s, err := lock(ctx, tx, in.SubmissionID)
	if err != nil {
		return Result{}, err
	}
	if s.Status == models.SubmissionVoided {
		return Result{}, errVoided()
	}
	if tx.Actor().Is(s.UserID) {
		return Result{}, errOwn
	}
	authority, err := policy.Require(ctx, tx, policy.Action{AppliesTo: policy.ReviewActions, SubmissionID: s.ID, StepUp: true})
	if err != nil {
		return Result{}, err
	}
	_, err = tx.Exec(ctx, `
		with voided as (update submissions set status = $3 where tenant_id = $1 and id = $2)
		insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'submission', $2, $4)`,
		tx.Tenant(), s.ID, models.SubmissionVoided, tx.Now())
	if err != nil {
		return Result{}, fmt.Errorf("void submission: %w", err)
	}
	s.Status = models.SubmissionVoided
	return record(ctx, tx, s, move{name: "void", event: "voided"}, in.Comment, authority)
}

// record writes the decision and its ledger event.
func record(ctx context.Context, tx *db.Tx, s models.Submission, m move, comment string, authority policy.Authority) (Result, error) {
	d := models.SubmissionDecision{TenantID: tx.Tenant(), SubmissionID: s.ID, ID: ids.New(), OrgUnitID: s.OrgUnitID,
		Decision: m.name, Actor: tx.Actor().String(), Comment: comment, DecidedAt: tx.Now()}
	_, err := tx.NewInsert().Model(&d).Returning("NULL").Exec(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("record decision: %w", err)
	}
	err = ledger.Append(ctx, tx, ledger.Event{Type: "submission." + m.event, SubjectType: "submission", SubjectID: s.ID,
		OrgUnit: s.OrgUnitID, Payload: authority.Into(map[string]any{"decisionId": d.ID, "scoreVersion": s.ScoreVersion})})
	if err != nil {
		return Result{}, err
	}
	return Result{SubmissionID: s.ID, Status: s.Status, ApprovalStatus: s.ApprovalStatus, DecisionID: d.ID,
		DecidedBy: d.Actor, DecidedAt: d.DecidedAt.UTC()}, nil
}
