package shelf

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

const (
	// orphanAge is how long a file stays that no record names. It is far longer than a
	// request lasts between its claim and its commit.
	orphanAge = time.Hour
	// sweepBatch bounds the files of one transaction, whose rows are locked meanwhile.
	sweepBatch = 100
)

// Sweep is the periodic job that deletes files that no record names: of records that were
// deleted, and of uploads that were given up.
type Sweep struct{}

// Kind names the job.
func (Sweep) Kind() string { return "file_sweep" }

// Sweeper works on Sweep jobs.
type Sweeper struct {
	river.WorkerDefaults[Sweep]
	Store   *db.Store
	Shelves []*Shelf
}

// Work sweeps tenant by tenant. Where one fails, the others are swept all the same, and the job
// fails in the end.
func (w *Sweeper) Work(ctx context.Context, _ *river.Job[Sweep]) error {
	tenants, err := w.Store.Tenants(ctx)
	if err != nil {
		return err
	}
	var failed error
	for _, tenant := range tenants {
		for _, s := range w.Shelves {
			_, err := s.SweepTenant(ctx, tenant)
			if ctx.Err() != nil {
				return errors.Join(failed, err)
			}
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("sweep %s of tenant %s: %w", s.kind.Records, tenant, err))
			}
		}
	}
	return failed
}

// SweepTenant deletes the files of a tenant that no record has named for an hour, and gives
// their number.
func (s *Shelf) SweepTenant(ctx context.Context, tenant ids.ID) (int, error) {
	total := 0
	for {
		n := 0
		err := s.store.Write(ctx, db.System(tenant, Sweep{}.Kind()), func(tx *db.Tx) error {
			var err error
			n, err = s.sweep(ctx, tx)
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

// sweep deletes claims and then, before it commits, their files. An upload of the same bytes
// meanwhile waits at its claim until the file is gone, and stores it anew; a claim made
// before has made the row young. A record that was written since the search makes the
// deletion of the row fail, and no file is touched. When the commit fails the rows are still
// there and the next sweep finds them; deleting a file twice does no harm.
func (s *Shelf) sweep(ctx context.Context, tx *db.Tx) (int, error) {
	// "offset 0" looks for the records claim by claim, and what was found is deleted by its key:
	// neither is joined with all that the tenant has.
	const unnamed = " and not exists (select from %s r where r.tenant_id = $1 and r.%s = c.sha256 offset 0)"
	where := fmt.Sprintf(unnamed, s.kind.Records, s.kind.Held)
	if s.kind.Keeper != "" {
		where += fmt.Sprintf(unnamed, s.kind.Keeper, "sha256")
	}
	rows, err := tx.Query(ctx, "select c.sha256 from "+s.kind.Claims+" c where c.tenant_id = $1 and c.touched_at < $2"+where+
		" order by c.touched_at limit $3 for update skip locked", tx.Tenant(), tx.Now().Add(-orphanAge), sweepBatch)
	if err != nil {
		return 0, fmt.Errorf("find orphaned files: %w", err)
	}
	orphans, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return 0, fmt.Errorf("find orphaned files: %w", err)
	}
	_, err = tx.Exec(ctx, "delete from "+s.kind.Claims+" where tenant_id = $1 and sha256 = any($2)", tx.Tenant(), orphans)
	if err != nil {
		return 0, fmt.Errorf("delete claims of orphaned files: %w", err)
	}
	for _, sha256 := range orphans {
		err := s.blobs.Delete(ctx, s.key(tx.Tenant(), sha256))
		if err != nil {
			return 0, err
		}
	}
	return len(orphans), nil
}
