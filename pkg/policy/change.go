package policy

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/db"
	"assess/pkg/errs"
)

// What lock can lock.
const (
	retentionPolicies    = "retention_policies"
	verificationPolicies = "verification_policies"
)

// lock lets the changes of a tenant's policies happen one after the other. Whoever reads
// policies in order to change them takes it before reading.
func lock(ctx context.Context, tx *db.Tx, what string) error {
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2::text, 0))", what, tx.Tenant().String())
	if err != nil {
		return fmt.Errorf("lock %s: %w", what, err)
	}
	return nil
}

func checkFresh(from, current *time.Time) error {
	if from == nil || (current != nil && from.Equal(*current)) {
		return nil
	}
	return errs.New(errs.StaleUpdate, "Somebody changed the policies since they were read.").With("updatedAt", current)
}

// advance gives a time after the one before, so that two changes within a millisecond can be
// told apart.
func advance(now time.Time, before *time.Time) time.Time {
	if before != nil && !now.After(*before) {
		return before.Add(time.Millisecond)
	}
	return now
}
