package evidence

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Erased gives the hashes of the erased files about the submissions of a person: the ones that no other
// evidence holds have to go (Files.Drop). The caller has checked the capability.
func Erased(ctx context.Context, tx *db.Tx, user ids.ID) ([]string, error) {
	rows, err := tx.Query(ctx, `
		select distinct e.sha256 from (select id from submissions where tenant_id = $1 and user_id = $2 offset 0) s
		cross join lateral (select sha256 from evidence e where e.tenant_id = $1 and e.submission_id = s.id and e.erased_at is not null offset 0) e`,
		tx.Tenant(), user)
	if err != nil {
		return nil, fmt.Errorf("find erased evidence: %w", err)
	}
	hashes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find erased evidence: %w", err)
	}
	return hashes, nil
}
