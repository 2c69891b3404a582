package submission

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// OfPerson gives the ids of all submissions of a person. The caller has checked the capability.
func OfPerson(ctx context.Context, tx *db.Tx, user ids.ID) ([]ids.ID, error) {
	rows, err := tx.Query(ctx, "select id from submissions where tenant_id = $1 and user_id = $2", tx.Tenant(), user)
	if err != nil {
		return nil, fmt.Errorf("find the submissions of a person: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("find the submissions of a person: %w", err)
	}
	return all, nil
}
