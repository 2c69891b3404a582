package review

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// requireScored refuses to accept a submission whose outcome is still open: an item that counts
// waits for a person. Errors: scores_pending.
func requireScored(ctx context.Context, tx *db.Tx, s models.Submission) error {
	if !s.Pending {
		return nil
	}
	items, err := waiting(ctx, tx, s)
	if err != nil {
		return err
	}
	return errs.New(errs.ScoresPending, "The submission waits for a person to score it; approve it after that.").With("itemIds", items)
}

// waiting gives the items that count and that nobody has scored yet, as the person saw them.
func waiting(ctx context.Context, tx *db.Tx, s models.Submission) ([]ids.ID, error) {
	snapshot, err := authoring.SnapshotByHash(ctx, tx, s.SnapshotHash)
	if err != nil {
		return nil, fmt.Errorf("find snapshot: %w", err)
	}
	surveys := []ids.ID{}
	for _, section := range snapshot.Sections {
		for _, item := range section.Items {
			if !item.Key.ContributesToScore {
				surveys = append(surveys, item.ItemID)
			}
		}
	}
	rows, err := tx.Query(ctx, `
		select i.item_id from submissions s join `+submission.NewestItems("$1")+` i on i.score_status = 'PENDING' and i.item_id <> all($3)
		where s.tenant_id = $1 and s.id = $2 order by i.position`, tx.Tenant(), s.ID, surveys)
	if err != nil {
		return nil, fmt.Errorf("find pending items: %w", err)
	}
	items, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("find pending items: %w", err)
	}
	return items, nil
}
