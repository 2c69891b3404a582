package projection

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// percentilesBatch is how many questions one transaction visits.
const percentilesBatch = 100

// PercentilesArgs are the arguments of the job that computes the percentiles of every tenant.
type PercentilesArgs struct{}

// Kind names the job.
func (PercentilesArgs) Kind() string { return "percentiles_recompute" }

// InsertOpts lets one such job wait or run at a time: two at once would do the work twice.
func (PercentilesArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{UniqueOpts: river.UniqueOpts{ByState: []rivertype.JobState{rivertype.JobStateAvailable,
		rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled}}}
}

// PercentilesWorker recomputes stale percentiles. Running it twice changes nothing.
type PercentilesWorker struct {
	river.WorkerDefaults[PercentilesArgs]
	Store *db.Store
}

const tenantsWithStale = "select tenants_with_stale_percentiles()"

// Work visits every question that was stale when it began.
func (w *PercentilesWorker) Work(ctx context.Context, _ *river.Job[PercentilesArgs]) error {
	tenants, err := w.Store.Unscoped().IDs(ctx, tenantsWithStale)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		_, err := RecomputeAll(ctx, w.Store, tenant)
		if err != nil {
			return err
		}
	}
	return nil
}

// LatePercentiles counts the questions whose figures changed some time ago and whose medians still wait.
func LatePercentiles(ctx context.Context, store *db.Store, ago time.Duration) (int, error) {
	return countLate(ctx, store, ago, tenantsWithStale, `
		select count(*) from report_question_health_rollup
		where tenant_id = $1 and percentiles_stale and last_computed_at < $2`)
}

// countLate adds up a count over tenants: tenantsSQL gives the tenants, the other statement counts in each: $1
// is the tenant, $2 the moment before which it is late.
func countLate(ctx context.Context, store *db.Store, ago time.Duration, tenantsSQL, countSQL string) (int, error) {
	tenants, err := store.Unscoped().IDs(ctx, tenantsSQL)
	if err != nil {
		return 0, err
	}
	all := 0
	for _, tenant := range tenants {
		late := 0
		err := store.Read(ctx, db.System(tenant, "doctor"), func(tx *db.Tx) error {
			return tx.QueryRow(ctx, countSQL, tenant, tx.Now().Add(-ago)).Scan(&late)
		})
		if err != nil {
			return 0, fmt.Errorf("count what is late: %w", err)
		}
		all += late
	}
	return all, nil
}

// recomputePiece visits the next stale questions, at most left of them, and when there are none the next
// waiting overviews of skills.
func recomputePiece(ctx context.Context, tx *db.Tx, left int) (int, error) {
	n, err := RecomputePercentiles(ctx, tx, min(percentilesBatch, left))
	if err != nil || n > 0 {
		return n, err
	}
	return RecomputeSkills(ctx, tx, min(skillsBatch, left))
}

// RecomputeAll visits the stale questions of a tenant in several transactions and gives their
// number. Questions that become stale meanwhile are left for the next time, so that it ends; while
// the tenant is being rebuilt, all are left: a rebuild restarts the revisions, by which a visit
// tells whether a question changed under it.
func RecomputeAll(ctx context.Context, store *db.Store, tenant ids.ID) (int, error) {
	scope := db.System(tenant, "percentiles")
	left, visited := 0, 0
	err := store.Read(ctx, scope, func(tx *db.Tx) error {
		return tx.QueryRow(ctx, "select count(*) from report_question_health_rollup where tenant_id = $1 and percentiles_stale",
			tenant).Scan(&left)
	})
	if err != nil {
		return 0, fmt.Errorf("count stale percentiles: %w", err)
	}
	for left > 0 {
		n := 0
		err := store.Write(ctx, scope, func(tx *db.Tx) error {
			n = 0
			free, err := shareProjection(ctx, tx)
			if err != nil || !free {
				return err
			}
			n, err = RecomputePercentiles(ctx, tx, min(percentilesBatch, left))
			return err
		})
		if err != nil {
			return visited, err
		}
		if n == 0 {
			break
		}
		visited, left = visited+n, left-n
	}
	return visited, nil
}
