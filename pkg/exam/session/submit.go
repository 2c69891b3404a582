package session

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/policy"
)

// SubmitInput ends a session. Revision, where it is given, is the newest receipt that the
// client holds: with another one on the server nothing is submitted.
type SubmitInput struct {
	EvaluationID ids.ID `json:"-"`
	SessionID    ids.ID `json:"-"`
	View         *int   `json:"view,omitempty" minimum:"1" doc:"The view that start or resume gave; 1 when absent, and any when a proctor submits for somebody else"`
	Revision     *int64 `json:"revision,omitempty" minimum:"0" doc:"The revision that is meant; revision_mismatch when the server holds another"`
	Client       Client `json:"-"`
}

// SubmitResult is the outcome of a session (decisions, section 9). Score and outcome are
// there as feedback_mode allows.
type SubmitResult struct {
	SubmissionID    ids.ID    `json:"submissionId"`
	AlreadyComplete bool      `json:"alreadyComplete" doc:"The session had been submitted before; nothing was changed"`
	Status          string    `json:"status" enum:"completed,voided"`
	CompletedAt     time.Time `json:"completedAt"`
	Score           *float64  `json:"score,omitempty"`
	MaxScore        *float64  `json:"maxScore,omitempty"`
	OutcomeCode     string    `json:"outcome_code,omitempty" enum:"pass,fail,incomplete"`
	OutcomeLabel    string    `json:"outcome_label,omitempty"`
}

// Submit ends a session, scores it and writes its submission. Submitting again gives the same
// answer with alreadyComplete. Past the deadline it does what the expiry job would: the answers
// saved in time count, whatever revision is named. Where the snapshot froze a verification
// policy that requires something, the call must prove it: step_up_required, validation_failed
// for a context; at L4 forbidden without sessions.proctor, and four_eyes_required for one's own
// session. Other errors: not_found, revision_mismatch, session_not_open (closed or abandoned),
// session_superseded, lockdown_required.
func (d *Desk) Submit(ctx context.Context, tx *db.Tx, in SubmitInput) (SubmitResult, error) {
	err := requireTaker(tx)
	if err != nil {
		return SubmitResult{}, err
	}
	if in.Revision != nil && *in.Revision < 0 {
		return SubmitResult{}, errs.Invalid(errs.Field{Path: "revision", Code: "out_of_range", Message: "revisions count from 0"})
	}
	result, done, err := d.trySubmit(ctx, tx, in, false)
	if err != nil || done {
		return result, err
	}
	// A save or a submit came between, or there is something to prove: hold the session and
	// look again.
	err = lockSession(ctx, tx, in.SessionID)
	if err != nil {
		return SubmitResult{}, fmt.Errorf("lock session: %w", err)
	}
	result, done, err = d.trySubmit(ctx, tx, in, true)
	if err == nil && !done {
		err = fmt.Errorf("submit: session %s changed under its lock", in.SessionID)
	}
	return result, err
}

// trySubmit gives false when the session changed between reading and writing, or has to be locked
// for the proof that the frozen policy requires: of two submits with one proof the first consumes
// it, and the second waits and finds the session submitted.
func (d *Desk) trySubmit(ctx context.Context, tx *db.Tx, in SubmitInput, held bool) (SubmitResult, bool, error) {
	a, f, err := d.find(ctx, tx, in.EvaluationID, in.SessionID)
	if err != nil {
		return SubmitResult{}, false, err
	}
	switch a.State {
	case models.SessionSubmitted, models.SessionExpired:
		result, err := earlier(ctx, tx, f, a.ID)
		return result, true, err
	case models.SessionOpen:
	default:
		return SubmitResult{}, false, notOpen(a.Session, tx.Now())
	}
	if overdue(a.Session, tx.Now()) {
		return finalise(ctx, tx, f, a.expired(f))
	}
	err = f.checkLockdown(tx, a.UserID, a.AssignmentID, in.Client)
	if err != nil {
		return SubmitResult{}, false, err
	}
	if a.View != viewOf(in.View) && (in.View != nil || isSelf(tx, a.UserID)) {
		return SubmitResult{}, false, superseded(a.Session)
	}
	if in.Revision != nil && *in.Revision != a.Revision {
		return SubmitResult{}, false, errs.New(errs.RevisionMismatch, "The server holds revision %d.", a.Revision).
			With("revision", a.Revision)
	}
	if f.policy.AsksForProctor() && isSelf(tx, a.UserID) && tx.Can(capability.SessionsProctor) {
		return SubmitResult{}, false, errOwnSession
	}
	if f.policy.Asks() && !held {
		return SubmitResult{}, false, nil
	}
	err = policy.RequireFrozen(ctx, tx, f.policy, a.ID, a.OrgUnitID)
	if err != nil {
		return SubmitResult{}, false, err
	}
	return finalise(ctx, tx, f, a.submitted(f, tx))
}

func finalise(ctx context.Context, tx *db.Tx, f *form, r submission.Record) (SubmitResult, bool, error) {
	written, err := submission.Finalise(ctx, tx, r)
	if err != nil || !written {
		return SubmitResult{}, false, err
	}
	ended(tx, r.State, 1)
	result := SubmitResult{SubmissionID: r.SessionID, Status: models.SubmissionCompleted, CompletedAt: r.CompletedAt.UTC()}
	result.reveal(f, tx.Now(), r.Result.Score, r.Result.MaxScore, r.Result.OutcomeCode, r.Result.OutcomeLabel)
	return result, true, nil
}

func (r *SubmitResult) reveal(f *form, now time.Time, score, maxScore float64, code scoring.Outcome, label string) {
	if submission.ShowsScore(f.settings, now) {
		r.Score, r.MaxScore, r.OutcomeCode, r.OutcomeLabel = &score, &maxScore, string(code), label
	}
}

// earlier answers for a session that has a submission.
func earlier(ctx context.Context, tx *db.Tx, f *form, id ids.ID) (SubmitResult, error) {
	r := SubmitResult{SubmissionID: id, AlreadyComplete: true}
	var score, maxScore float64
	var code, label string
	err := tx.QueryRow(ctx, `
		select status, completed_at, score::float8, max_score::float8, outcome_code, outcome_label
		from submissions where tenant_id = $1 and id = $2`, tx.Tenant(), id).
		Scan(&r.Status, &r.CompletedAt, &score, &maxScore, &code, &label)
	if err != nil {
		return SubmitResult{}, fmt.Errorf("find submission: %w", err)
	}
	r.CompletedAt = r.CompletedAt.UTC()
	r.reveal(f, tx.Now(), score, maxScore, scoring.Outcome(code), label)
	return r, nil
}
