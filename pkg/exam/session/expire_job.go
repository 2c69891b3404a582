package session

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/pkg/kernel/db"
)

// expireBatch is how many sessions one look finds.
const expireBatch = 500

// ExpireArgs requests one round of expiry. It belongs in the queue every few seconds.
type ExpireArgs struct{}

// Kind names the job.
func (ExpireArgs) Kind() string { return "expire_sessions" }

// ExpireWorker ends the sessions of all tenants whose time is over, each in a transaction
// of its own. Rounds may overlap and run twice.
type ExpireWorker struct {
	river.WorkerDefaults[ExpireArgs]
	store *db.Store
	desk  *Desk
}

// NewExpireWorker makes the worker.
func NewExpireWorker(store *db.Store, desk *Desk) *ExpireWorker {
	return &ExpireWorker{store: store, desk: desk}
}

// Work runs rounds until nothing is overdue. A session that cannot be ended does not keep
// the others waiting; its error comes back when the rest is done.
func (w *ExpireWorker) Work(ctx context.Context, _ *river.Job[ExpireArgs]) error {
	for {
		found, err := w.overdue(ctx)
		if err != nil {
			return fmt.Errorf("find overdue sessions: %w", err)
		}
		var failed []error
		for _, s := range found {
			err := w.expire(ctx, s)
			if err != nil {
				failed = append(failed, fmt.Errorf("expire session %s: %w", s.id, err))
			}
		}
		if len(failed) > 0 || len(found) < expireBatch {
			return errors.Join(failed...)
		}
	}
}

func (w *ExpireWorker) overdue(ctx context.Context) ([]key, error) {
	rows, err := w.store.Unscoped().Query(ctx, "select tenant, session from overdue_sessions(clock_timestamp(), $1)", expireBatch)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (key, error) {
		var k key
		return k, row.Scan(&k.tenant, &k.id)
	})
	return found, db.Translate(err)
}

func (w *ExpireWorker) expire(ctx context.Context, s key) error {
	return w.store.Write(ctx, db.System(s.tenant, "expiry"), func(tx *db.Tx) error {
		_, err := w.desk.Expire(ctx, tx, s.id)
		return err
	})
}
