package hold

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Owned says whose something is that may be erased: a person's, and one of their submissions'. Either may
// be missing.
type Owned struct{ User, Submission *ids.ID }

const (
	lockOwnersSQL = "select from users where tenant_id = $1 and id = any($2) order by id for key share"
	freeSQL       = `
		select r.n - 1 from unnest($2::uuid[], $3::uuid[]) with ordinality r (user_id, submission_id, n)
		left join lateral (select held from users where tenant_id = $1 and id = r.user_id offset 0) u on true
		left join lateral (select hold_flag from submissions where tenant_id = $1 and id = r.submission_id offset 0) s on true
		where u.held is not true and s.hold_flag is not true order by r.n`
)

// Free gives the places of the items that no hold keeps, in order. It is EraseSubmission for many at
// once, and the free ones may be erased: until the transaction ends, no hold is placed on any of them.
func Free(ctx context.Context, tx *db.Tx, all []Owned) ([]int, error) {
	users, submissions := make([]*ids.ID, len(all)), make([]*ids.ID, len(all))
	for i, o := range all {
		users[i], submissions[i] = o.User, o.Submission
	}
	_, err := tx.Exec(ctx, lockOwnersSQL, tx.Tenant(), users)
	if err != nil {
		return nil, fmt.Errorf("lock people against holds: %w", err)
	}
	rows, err := tx.Query(ctx, freeSQL, tx.Tenant(), users, submissions)
	if err != nil {
		return nil, fmt.Errorf("look for holds: %w", err)
	}
	free, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return nil, fmt.Errorf("look for holds: %w", err)
	}
	return free, nil
}
