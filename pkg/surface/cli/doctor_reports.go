package cli

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/plural"
	"assess/pkg/report/projection"
)

func examineProjector(ctx context.Context, store *db.Store, d *Diagnosis) {
	b, err := projection.GetBacklog(ctx, store)
	behind := plural.Of(b.Waiting, "change waits for its report", "changes wait for their reports")
	switch {
	case err != nil:
		d.problem("projector", err.Error(), "look into the log of PostgreSQL")
	case b.Lag > projection.Lagging:
		d.warn("projector", fmt.Sprintf("%s, the oldest for %s", behind, b.Lag.Round(time.Second)),
			"run assessd with projector.enabled, or assessctl projection run")
	default:
		d.ok("projector", behind)
	}
}

// examinePercentiles counts questions whose figures changed two periods ago and whose
// medians still wait, and the same of overviews of skills.
func examinePercentiles(ctx context.Context, store *db.Store, every time.Duration, d *Diagnosis) {
	late, err := projection.LatePercentiles(ctx, store, 2*every)
	skills := 0
	if err == nil {
		skills, err = projection.LateSkills(ctx, store, 2*every)
	}
	const mend = "run assessd with jobs.enabled, or assessctl percentiles recompute"
	switch {
	case err != nil:
		d.problem("percentiles", err.Error(), "look into the log of PostgreSQL")
	case late > 0:
		d.warn("percentiles", fmt.Sprintf("the medians of %s are more than %s behind", plural.Of(late, "question"), 2*every), mend)
	case skills > 0:
		d.warn("percentiles", fmt.Sprintf("the overviews of %s are more than %s behind", plural.Of(skills, "skill"), 2*every), mend)
	default:
		d.ok("percentiles", "none are behind")
	}
}
