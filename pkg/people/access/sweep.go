package access

import (
	"context"
	"fmt"
	"time"

	"github.com/riverqueue/river"

	"assess/pkg/kernel/db"
)

// Sweep is the periodic job that deletes what has served its time: idempotency keys,
// links, proofs and ended tokens that expired a day ago, idle rate limits, retired keys, and former
// addresses that no mail has reached in a week.
type Sweep struct{}

// Kind names the job.
func (Sweep) Kind() string { return "sweep" }

// Sweeper works on Sweep jobs.
type Sweeper struct {
	river.WorkerDefaults[Sweep]
	Store           *db.Store
	KeepIdempotency time.Duration
	// TokenLifetime is the lifetime of the tokens that hold longest.
	TokenLifetime time.Duration
}

// Work sweeps tenant by tenant, each in a transaction of its own.
func (w *Sweeper) Work(ctx context.Context, _ *river.Job[Sweep]) error {
	_, err := w.Store.Unscoped().Exec(ctx, "delete from rate_limits where next_free < clock_timestamp() - interval '1 hour'")
	if err != nil {
		return fmt.Errorf("sweep rate limits: %w", err)
	}
	err = sweepKeys(ctx, w.Store, w.TokenLifetime)
	if err != nil {
		return fmt.Errorf("sweep signing keys: %w", err)
	}
	tenants, err := w.Store.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, t := range tenants {
		err := w.Store.Write(ctx, db.System(t, "sweep"), func(tx *db.Tx) error { return w.sweepTenant(ctx, tx) })
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *Sweeper) sweepTenant(ctx context.Context, tx *db.Tx) error {
	dayAgo, weekAgo := tx.Now().AddDate(0, 0, -1), tx.Now().AddDate(0, 0, -7)
	for _, s := range []struct {
		sql    string
		before time.Time
	}{
		{"delete from idempotency_keys where tenant_id = $1 and created_at < $2", tx.Now().Add(-w.KeepIdempotency)},
		{"delete from magic_links where tenant_id = $1 and expires_at < $2", dayAgo},
		{"delete from privacy_links where tenant_id = $1 and expires_at < $2", dayAgo},
		{"delete from sign_in_flows where tenant_id = $1 and expires_at < $2", dayAgo},
		{"delete from ended_tokens where tenant_id = $1 and expires_at < $2", dayAgo},
		{"delete from lti_flows where tenant_id = $1 and expires_at < $2", dayAgo},
		{"delete from lti_deep_links where tenant_id = $1 and expires_at < $2", dayAgo},
		{"delete from lti_pending_accounts where tenant_id = $1 and expires_at < $2", dayAgo},
		{"delete from lti_registrations where tenant_id = $1 and expires_at < $2", dayAgo},
		{"delete from step_up_proofs where tenant_id = $1 and expires_at < $2", dayAgo},
		{"delete from former_addresses where tenant_id = $1 and changed_at < $2", weekAgo},
	} {
		_, err := tx.Exec(ctx, s.sql, tx.Tenant(), s.before)
		if err != nil {
			return fmt.Errorf("sweep: %w", err)
		}
	}
	return nil
}
