package compliance

import (
	"context"
	"errors"
	"fmt"

	"github.com/riverqueue/river"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Expire is the job that deletes the expired files of every tenant.
type Expire struct{}

// Kind names the job of the queue.
func (Expire) Kind() string { return "compliance_expire" }

// Expirer works on Expire.
type Expirer struct {
	river.WorkerDefaults[Expire]
	Centre *Centre
}

// Work goes on with the next tenant where one fails.
func (w *Expirer) Work(ctx context.Context, _ *river.Job[Expire]) error {
	tenants, err := w.Centre.Store.Tenants(ctx)
	if err != nil {
		return fmt.Errorf("list tenants: %w", err)
	}
	var problems []error
	for _, tenant := range tenants {
		problems = append(problems, w.Centre.expire(ctx, tenant))
	}
	return errors.Join(problems...)
}

// expire deletes the files after the rows let go of them. The sweep of orphans meets what a crash leaves in between.
func (c *Centre) expire(ctx context.Context, tenant ids.ID) error {
	for {
		var hashes []string
		err := c.Store.Write(ctx, db.System(tenant, "compliance"), func(tx *db.Tx) error {
			var err error
			hashes, err = expireArtifacts(ctx, tx)
			return err
		})
		if err == nil {
			_, err = c.Files.Drop(ctx, tenant, "compliance", hashes)
		}
		if err != nil || len(hashes) < expirePiece {
			return err
		}
	}
}
