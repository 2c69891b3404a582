package cli

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/plural"
)

// lagging is how long an answer may wait for its report before somebody should look.
const lagging = time.Minute

func examineProjector(ctx context.Context, store *db.Store, d *Diagnosis) {
	var waiting int64
	var seconds float64
	err := store.Unscoped().QueryRow(ctx, `
		select waiting, coalesce(extract(epoch from clock_timestamp() - oldest), 0)::float8 from projection_backlog()`).
		Scan(&waiting, &seconds)
	age := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	behind := plural.Of(waiting, "change waits for its report", "changes wait for their reports")
	switch {
	case err != nil:
		d.problem("projector", err.Error(), "look into the log of PostgreSQL")
	case age > lagging:
		d.warn("projector", fmt.Sprintf("%s, the oldest for %s", behind, age),
			"run assessd with projector.enabled, or assessctl projection run")
	default:
		d.ok("projector", behind)
	}
}

// examinePercentiles counts questions whose figures changed two periods ago and whose
// medians still wait.
func examinePercentiles(ctx context.Context, store *db.Store, every time.Duration, d *Diagnosis) {
	tenants, err := tenantsOf(ctx, store, "tenants_with_stale_percentiles")
	late := 0
	for _, t := range tenants {
		if err != nil {
			break
		}
		err = store.Read(ctx, db.System(t, "doctor"), func(tx *db.Tx) error {
			var n int
			err := tx.QueryRow(ctx, `
				select count(*) from report_question_health_rollup
				where tenant_id = $1 and percentiles_stale and last_computed_at < $2`,
				tx.Tenant(), tx.Now().Add(-2*every)).Scan(&n)
			late += n
			return err
		})
	}
	switch {
	case err != nil:
		d.problem("percentiles", err.Error(), "look into the log of PostgreSQL")
	case late > 0:
		d.warn("percentiles", fmt.Sprintf("the medians of %s are more than %s behind", plural.Of(late, "question"), 2*every),
			"run assessd with jobs.enabled, or assessctl percentiles recompute")
	default:
		d.ok("percentiles", "none are behind")
	}
}
