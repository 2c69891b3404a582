package review

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// Decision is one line of a submission's history of decisions.
type Decision struct {
	ID        ids.ID    `json:"id"`
	Decision  string    `json:"decision" enum:"approve,reject,request_changes,reopen,void"`
	DecidedBy string    `json:"decidedBy" doc:"user:<id> or operator:<name>"`
	Comment   string    `json:"comment,omitempty"`
	DecidedAt time.Time `json:"decidedAt"`
}

// ListDecisions gives what was decided about a submission, newest first. Capability:
// submissions.read. Errors: not_found, validation_failed.
func ListDecisions(ctx context.Context, tx *db.Tx, submission ids.ID, page db.Page) (db.List[Decision], error) {
	var none db.List[Decision]
	if err := tx.Require(capability.SubmissionsRead); err != nil {
		return none, err
	}
	page, err := page.Check()
	if err != nil {
		return none, err
	}
	exists, err := tx.NewSelect().Model((*models.Submission)(nil)).Where("s.tenant_id = ? and s.id = ?", tx.Tenant(), submission).Exists(ctx)
	if err != nil {
		return none, fmt.Errorf("find submission: %w", err)
	}
	if !exists {
		return none, errNoSubmission
	}
	var rows []models.SubmissionDecision
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Where("d.tenant_id = ? and d.submission_id = ?", tx.Tenant(), submission), page, &rows, "d.id desc")
	if err != nil {
		return none, fmt.Errorf("list decisions: %w", err)
	}
	items := make([]Decision, 0, len(rows))
	for _, r := range rows {
		items = append(items, Decision{ID: r.ID, Decision: r.Decision, DecidedBy: r.Actor, Comment: r.Comment, DecidedAt: r.DecidedAt.UTC()})
	}
	return db.NewList(items, page, total), nil
}

var errOwn = errs.New(errs.FourEyesRequired, "It is your own submission; somebody else has to decide about it.")

var errNoSubmission = errs.New(errs.NotFound, "There is no such submission in your scope.")

// lock finds a submission and keeps everybody else from deciding about it.
func lock(ctx context.Context, tx *db.Tx, id ids.ID) (models.Submission, error) {
	var row models.Submission
	err := tx.NewSelect().Model(&row).Where("s.tenant_id = ? and s.id = ?", tx.Tenant(), id).For("update").Scan(ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return row, errNoSubmission
	case err != nil:
		return row, fmt.Errorf("lock submission: %w", err)
	}
	return row, people.RefuseErased(ctx, tx, row.UserID)
}

// RequireFourEyes refuses users with a stake in a submission: the person who took it, users who
// acted for them (started the session, saved answers, handed it in), and users who changed its
// scores. Errors: four_eyes_required.
func RequireFourEyes(ctx context.Context, tx *db.Tx, submission, takenBy ids.ID) error {
	actor := tx.Actor()
	involved := actor.Is(takenBy)
	if !involved {
		err := tx.QueryRow(ctx, `
			select exists (select from score_versions
				where tenant_id = $1 and submission_id = $2 and actor = $3 and reason <> 'submitted')
			or $4 and exists (select from submissions where tenant_id = $1 and id = $2 and $3 = any(acted_by))`,
			tx.Tenant(), submission, actor.String(), actor.Kind == db.UserActor).Scan(&involved)
		if err != nil {
			return fmt.Errorf("find who acted or changed the scores: %w", err)
		}
	}
	if involved {
		return errs.New(errs.FourEyesRequired, "Whoever took the submission, acted for the person or changed its scores cannot decide about it.")
	}
	return nil
}
