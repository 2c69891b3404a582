package shelf

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Drop deletes files at once that no record holds any more, however young they are, and gives their number:
// files that must be gone, and not merely useless. A file that another record holds stays. Somebody who is
// uploading the same bytes meanwhile fails at the foreign key, as after a sweep, and tries again.
func (s *Shelf) Drop(ctx context.Context, tenant ids.ID, job string, hashes []string) (int64, error) {
	var n int64
	for len(hashes) > 0 {
		piece := hashes[:min(len(hashes), sweepBatch)]
		hashes = hashes[len(piece):]
		err := s.store.Write(ctx, db.System(tenant, job), func(tx *db.Tx) error {
			dropped, err := s.drop(ctx, tx, piece)
			n += dropped
			return err
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// drop deletes the files before it commits, as sweep does. Files without a claim are deleted, too: a
// crash may have left them.
func (s *Shelf) drop(ctx context.Context, tx *db.Tx, hashes []string) (int64, error) {
	rows, err := tx.Query(ctx, `
		with free as (
			select w.sha256 from unnest($2::text[]) w (sha256) where not exists (
				select from `+s.kind.Records+` r where r.tenant_id = $1 and r.`+s.kind.Held+` = w.sha256 offset 0)
		), gone as (
			delete from `+s.kind.Claims+` c where c.tenant_id = $1 and c.sha256 = any($2) and c.sha256 in (select sha256 from free)
		)
		select sha256 from free`, tx.Tenant(), hashes)
	if err != nil {
		return 0, fmt.Errorf("let go of files: %w", err)
	}
	free, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, fmt.Errorf("let go of files: %w", err)
	}
	for _, sha256 := range free {
		err := s.blobs.Delete(ctx, s.key(tx.Tenant(), sha256))
		if err != nil {
			return 0, err
		}
	}
	return int64(len(free)), nil
}
