package submission

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

var errNoSubmission = errs.New(errs.NotFound, "There is no such submission in your scope.")

// find reads a submission and its items in the order of the session.
func find(ctx context.Context, tx *db.Tx, id ids.ID) (models.Submission, []models.SubmissionItem, error) {
	var row models.Submission
	err := tx.NewSelect().Model(&row).Where("s.tenant_id = ? and s.id = ?", tx.Tenant(), id).Scan(ctx)
	if err != nil {
		return row, nil, notFoundOr(err)
	}
	items, err := itemsOf(ctx, tx, row)
	return row, items, err
}

// itemsOf reads the items as they were scored at the version that the row names, whatever came later.
func itemsOf(ctx context.Context, tx *db.Tx, row models.Submission) ([]models.SubmissionItem, error) {
	var items []models.SubmissionItem
	err := tx.NewRaw("select i.* from (values (?1::uuid, ?2::int)) s (id, score_version), "+NewestItems("?0")+
		" i order by i.position", row.TenantID, row.ID, row.ScoreVersion).Scan(ctx, &items)
	if err != nil {
		return nil, fmt.Errorf("find submission items: %w", err)
	}
	return items, nil
}

func notFoundOr(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return errNoSubmission
	}
	return fmt.Errorf("find submission: %w", err)
}
