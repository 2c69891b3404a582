package shelf

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Sample looks for the files of the n newest records of a tenant. It gives how many of these name a file, and how
// many of the files are missing.
func (s *Shelf) Sample(ctx context.Context, tenant ids.ID, n int) (named, missing int, err error) {
	var hashes []string
	err = s.store.Read(ctx, db.System(tenant, "doctor"), func(tx *db.Tx) error {
		rows, err := tx.Query(ctx, `
			select held from (select `+s.kind.Held+` as held from `+s.kind.Records+` where tenant_id = $1 order by id desc limit $2) newest
			where held is not null`, tx.Tenant(), n)
		if err == nil {
			hashes, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return err
	})
	if err != nil {
		return 0, 0, fmt.Errorf("find the newest files: %w", err)
	}
	for _, sha256 := range hashes {
		there, err := s.Exists(ctx, tenant, sha256)
		if err != nil {
			return 0, 0, err
		}
		if !there {
			missing++
		}
	}
	return len(hashes), missing, nil
}
