package media

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/pkg/blob"
	"assess/pkg/db"
	"assess/pkg/ids"
)

const (
	// orphanAge is how long a file stays that no version refers to. It is far longer than a
	// request lasts between its claim and its commit.
	orphanAge = time.Hour
	// sweepBatch bounds the files of one transaction, whose rows are locked meanwhile.
	sweepBatch = 100
)

// Sweep is the periodic job that deletes files that no version refers to: of deleted assets,
// and of uploads that were given up.
type Sweep struct{}

// Kind names the job.
func (Sweep) Kind() string { return "media_sweep" }

// Sweeper works on Sweep jobs.
type Sweeper struct {
	river.WorkerDefaults[Sweep]
	Files *Files
}

// Work sweeps tenant by tenant.
func (w *Sweeper) Work(ctx context.Context, _ *river.Job[Sweep]) error {
	rows, err := w.Files.store.Unscoped().Query(ctx, "select all_tenants()")
	if err != nil {
		return err
	}
	tenants, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return fmt.Errorf("list tenants: %w", err)
	}
	for _, tenant := range tenants {
		_, err := w.Files.SweepTenant(ctx, tenant)
		if err != nil {
			return err
		}
	}
	return nil
}

// SweepTenant deletes the files of a tenant that nothing has referred to for an hour, and
// gives their number.
func (f *Files) SweepTenant(ctx context.Context, tenant ids.ID) (int, error) {
	total := 0
	for {
		n := 0
		err := f.store.Write(ctx, db.System(tenant, Sweep{}.Kind()), func(tx *db.Tx) error {
			var err error
			n, err = f.sweep(ctx, tx)
			return err
		})
		if err != nil {
			return total, err
		}
		total += n
		if n < sweepBatch {
			return total, nil
		}
	}
}

// sweep deletes rows and then, before it commits, their files. Whoever uploads the same bytes
// meanwhile waits at its claim until the file is gone, and stores it anew; whoever claimed
// before has made the row young. A version that was recorded since the search makes the
// deletion of the row fail, and no file is touched. When the commit fails the rows are still
// there and the next sweep finds them; deleting a file twice does no harm.
func (f *Files) sweep(ctx context.Context, tx *db.Tx) (int, error) {
	rows, err := tx.Query(ctx, `
		delete from media_blobs where tenant_id = $1 and sha256 in (
			select b.sha256 from media_blobs b
			where b.tenant_id = $1 and b.touched_at < $2 and not exists (
				select from asset_versions v where v.tenant_id = b.tenant_id and v.sha256 = b.sha256)
			order by b.touched_at limit $3 for update skip locked)
		returning sha256`, tx.Tenant(), tx.Now().Add(-orphanAge), sweepBatch)
	if err != nil {
		return 0, fmt.Errorf("find orphaned files: %w", err)
	}
	orphans, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, fmt.Errorf("find orphaned files: %w", err)
	}
	for _, sha256 := range orphans {
		err := f.blobs.Delete(ctx, blob.Key{Tenant: tx.Tenant(), Kind: blob.Media, SHA256: sha256})
		if err != nil {
			return 0, err
		}
	}
	return len(orphans), nil
}
