package session

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

// abandonBatch is how many sessions one look finds.
const abandonBatch = 500

// AbandonArgs requests one round of giving up idle sessions. It belongs in the queue every few minutes.
type AbandonArgs struct{}

// Kind names the job.
func (AbandonArgs) Kind() string { return "abandon_sessions" }

// AbandonWorker ends the sessions of all tenants that have no deadline and were idle for
// After. Sessions with a deadline are expiry's. Rounds may overlap and run twice.
type AbandonWorker struct {
	river.WorkerDefaults[AbandonArgs]
	Store *db.Store
	After time.Duration
}

// Work runs rounds until nothing is idle. A tenant whose sessions cannot be ended does not
// keep the others waiting.
func (w *AbandonWorker) Work(ctx context.Context, _ *river.Job[AbandonArgs]) error {
	for {
		found, n, err := w.idle(ctx)
		if err != nil {
			return fmt.Errorf("find idle sessions: %w", err)
		}
		var failed []error
		for tenant, sessions := range found {
			err := w.Store.Write(ctx, db.System(tenant, "abandonment"), func(tx *db.Tx) error {
				_, err := Abandon(ctx, tx, sessions, tx.Now().Add(-w.After))
				return err
			})
			if err != nil {
				failed = append(failed, fmt.Errorf("abandon sessions of tenant %s: %w", tenant, err))
			}
		}
		if len(failed) > 0 || n < abandonBatch {
			return errors.Join(failed...)
		}
	}
}

// idle gives sessions by tenant, and their number.
func (w *AbandonWorker) idle(ctx context.Context) (map[ids.ID][]ids.ID, int, error) {
	rows, err := w.Store.Unscoped().Query(ctx, "select tenant, session from idle_sessions(clock_timestamp() - make_interval(secs => $1), $2)",
		w.After.Seconds(), abandonBatch)
	if err != nil {
		return nil, 0, err
	}
	found, n := map[ids.ID][]ids.ID{}, 0
	var k key
	_, err = pgx.ForEachRow(rows, []any{&k.tenant, &k.id}, func() error {
		found[k.tenant] = append(found[k.tenant], k.id)
		n++
		return nil
	})
	return found, n, db.Translate(err)
}
