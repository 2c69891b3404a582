package submission

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"assess/models"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
)

var errNoSubmission = errs.New(errs.NotFound, "There is no such submission in your scope.")

// find reads a submission and its items in the order of the session.
func find(ctx context.Context, tx *db.Tx, id ids.ID) (models.Submission, []models.SubmissionItem, error) {
	var row models.Submission
	err := tx.NewSelect().Model(&row).Where("s.tenant_id = ? and s.id = ?", tx.Tenant(), id).Scan(ctx)
	if err != nil {
		return row, nil, notFoundOr(err)
	}
	var items []models.SubmissionItem
	err = tx.NewSelect().Model(&items).Where("i.tenant_id = ? and i.submission_id = ?", tx.Tenant(), id).
		Order("i.position").Scan(ctx)
	if err != nil {
		return row, nil, fmt.Errorf("find submission items: %w", err)
	}
	return row, items, nil
}

func notFoundOr(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return errNoSubmission
	}
	return fmt.Errorf("find submission: %w", err)
}
