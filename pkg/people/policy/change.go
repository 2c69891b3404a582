package policy

import (
	"context"
	"fmt"

	"assess/pkg/kernel/db"
)

// What lock can lock.
const (
	retentionPolicies    = "retention_policies"
	verificationPolicies = "verification_policies"
)

// lock makes the changes of a tenant's policies happen one after the other. Code that
// reads policies in order to change them takes it before reading.
func lock(ctx context.Context, tx *db.Tx, what string) error {
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2::text, 0))", what, tx.Tenant().String())
	if err != nil {
		return fmt.Errorf("lock %s: %w", what, err)
	}
	return nil
}
