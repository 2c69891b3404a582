package submission

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// RefuseErased is people.RefuseErased for the people these submissions belong to. Errors:
// subject_erased.
func RefuseErased(ctx context.Context, tx *db.Tx, submissions ...ids.ID) error {
	rows, err := tx.Query(ctx, "select distinct user_id from submissions where tenant_id = $1 and id = any($2)", tx.Tenant(), submissions)
	if err != nil {
		return fmt.Errorf("find whose submissions they are: %w", err)
	}
	users, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return fmt.Errorf("find whose submissions they are: %w", err)
	}
	return people.RefuseErased(ctx, tx, users...)
}
