package projection

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
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

// Status needs reporting.view_named. The outbox is the whole tenant's; the other numbers are about
// the scope.
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

// Lagging is how long an answer may wait for its report before somebody should look.
const Lagging = time.Minute

// Backlog is what the projectors of the installation still have to do.
type Backlog struct {
	Waiting int64
	// Lag is the age of the oldest change that waits; 0 when none does.
	Lag time.Duration
}

// GetBacklog looks at the outboxes of all tenants, and sees only their size.
func GetBacklog(ctx context.Context, store *db.Store) (Backlog, error) {
	var b Backlog
	var seconds float64
	err := store.Unscoped().QueryRow(ctx, `
		select waiting, coalesce(extract(epoch from clock_timestamp() - oldest), 0)::float8 from projection_backlog()`).
		Scan(&b.Waiting, &seconds)
	b.Lag = time.Duration(seconds * float64(time.Second))
	return b, db.Translate(err)
}

// Freshness says when the data of a report was projected: everything committed before AsOf
// is in it.
type Freshness struct {
	AsOf            time.Time `json:"asOf" doc:"Whatever was submitted before is counted, but for percentiles that wait for their job"`
	ProjectionLagMs int64     `json:"projectionLagMs" doc:"Age of the oldest submission that is not counted yet; 0 when all are"`
}

const oldestSQL = "select (select enqueued_at from projection_outbox where tenant_id = $1 order by id limit 1)"

// A standby knows when the newest transaction that it has replayed was committed. Right after its
// start it does not, and uses the checkpoint from which it began. This is a statement of its own:
// in a cluster, one that reads a table is answered by a node.
const replayedSQL = `
select case when pg_is_in_recovery() then coalesce(pg_last_xact_replay_timestamp(), (select checkpoint_time from pg_control_checkpoint())) end`

// Fresh reads the tenant's freshness. For a standby it promises nothing beyond what was replayed.
func Fresh(ctx context.Context, tx *db.Tx) (Freshness, error) {
	var oldest, replayed *time.Time
	_, err := tx.Together(ctx, db.Statement{SQL: oldestSQL, Args: []any{tx.Tenant()}, Dest: []any{&oldest}},
		db.Statement{SQL: replayedSQL, Dest: []any{&replayed}})
	if err != nil {
		return Freshness{}, fmt.Errorf("read projection lag: %w", err)
	}
	f := Freshness{AsOf: tx.Now(), ProjectionLagMs: lagMs(tx, oldest)}
	for _, bound := range []*time.Time{oldest, replayed} {
		if bound != nil && bound.Before(f.AsOf) {
			f.AsOf = bound.UTC().Truncate(time.Millisecond)
		}
	}
	return f, nil
}

func lagMs(tx *db.Tx, oldest *time.Time) int64 {
	if oldest == nil {
		return 0
	}
	return max(tx.Now().Sub(*oldest).Milliseconds(), 0)
}
