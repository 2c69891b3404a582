package projection

import (
	"context"
	"fmt"

	"assess/pkg/kernel/db"
)

// Batches of a tenant share an advisory lock, which a rebuild or a verification holds
// alone: it neither disturbs a batch nor is disturbed by one.
const tenantLock = `hashtextextended('projection ' || $1::text, 0)`

// planAnew asks for a plan at each call: the statements are few and large, and one that was
// planned while the tables were small would still run, as slow as can be, when they are not.
const planAnew = `set_config('plan_cache_mode', 'force_custom_plan', true)`

// joinProjection gives false while the tenant is being rebuilt or verified. Batches do not
// wait for that: their rows stay in the outbox.
func joinProjection(ctx context.Context, tx *db.Tx) (bool, error) {
	var free bool
	err := tx.QueryRow(ctx, "select pg_try_advisory_xact_lock_shared("+tenantLock+"), "+planAnew, tx.Tenant().String()).Scan(&free, nil)
	if err != nil {
		return false, fmt.Errorf("join projection: %w", err)
	}
	return free, nil
}

// ownProjection waits for the batches that are running and keeps out new ones; request_timeout
// when they do not end within the lock timeout.
func ownProjection(ctx context.Context, tx *db.Tx) error {
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock("+tenantLock+"), "+planAnew, tx.Tenant().String())
	if err != nil {
		return fmt.Errorf("own projection: %w", err)
	}
	return nil
}
