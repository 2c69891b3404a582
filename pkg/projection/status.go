package projection

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/capability"
	"assess/pkg/db"
)

// StatusResult says how far the projection of a tenant is.
type StatusResult struct {
	Waiting  int64      `json:"waiting" doc:"Outbox rows"`
	Deferred int64      `json:"deferred" doc:"Outbox rows that failed and wait for another try"`
	Oldest   *time.Time `json:"oldest" doc:"When the oldest waiting row was written"`
	LagMs    int64      `json:"lagMs" doc:"Age of the oldest waiting row"`

	Submissions      int64 `json:"submissions" doc:"Rows of report_submissions"`
	QuestionVersions int64 `json:"questionVersions" doc:"Rows of report_question_health_rollup"`
	StalePercentiles int64 `json:"stalePercentiles" doc:"Question versions whose percentiles are out of date"`
}

const statusSQL = `
select o.waiting, o.deferred, o.oldest, s.n, h.n, h.stale
from (select count(*) as waiting, count(*) filter (where failures > 0) as deferred, min(enqueued_at) as oldest
		from projection_outbox where tenant_id = $1) o,
	(select count(*) as n from report_submissions where tenant_id = $1) s,
	(select count(*) as n, count(*) filter (where percentiles_stale) as stale
		from report_question_health_rollup where tenant_id = $1) h`

// Status needs reporting.view_named. The outbox is the whole tenant's; the other numbers
// are those of the scope.
func Status(ctx context.Context, tx *db.Tx) (StatusResult, error) {
	err := tx.Require(capability.ReportingViewNamed)
	if err != nil {
		return StatusResult{}, err
	}
	var r StatusResult
	err = tx.QueryRow(ctx, statusSQL, tx.Tenant()).
		Scan(&r.Waiting, &r.Deferred, &r.Oldest, &r.Submissions, &r.QuestionVersions, &r.StalePercentiles)
	if err != nil {
		return StatusResult{}, fmt.Errorf("read projection status: %w", err)
	}
	r.LagMs = lagMs(tx, r.Oldest)
	return r, nil
}

// Freshness says when the data of a report was projected: everything committed before AsOf
// is in it.
type Freshness struct {
	AsOf            time.Time `json:"asOf" doc:"Whatever was submitted before is counted, but for percentiles that wait for their job; read from a replica, whatever had reached it"`
	ProjectionLagMs int64     `json:"projectionLagMs" doc:"Age of the oldest submission that is not counted yet; 0 when all are"`
}

// Fresh reads the tenant's freshness.
func Fresh(ctx context.Context, tx *db.Tx) (Freshness, error) {
	var oldest *time.Time
	err := tx.QueryRow(ctx, `
		select (select enqueued_at from projection_outbox where tenant_id = $1 order by id limit 1)`, tx.Tenant()).Scan(&oldest)
	if err != nil {
		return Freshness{}, fmt.Errorf("read projection lag: %w", err)
	}
	f := Freshness{AsOf: tx.Now(), ProjectionLagMs: lagMs(tx, oldest)}
	if oldest != nil && oldest.Before(f.AsOf) {
		f.AsOf = oldest.UTC()
	}
	return f, nil
}

func lagMs(tx *db.Tx, oldest *time.Time) int64 {
	if oldest == nil {
		return 0
	}
	return max(tx.Now().Sub(*oldest).Milliseconds(), 0)
}
