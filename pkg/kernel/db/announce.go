package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// AccessChannel is where it is announced that somebody may do more or less than before.
const AccessChannel = "assess_access"

// AnnounceAccess comes before a change of users' status and tokens, of roles, and of who is where and has which role:
// when the transaction commits, every process forgets what it knew of that. The trigger of these tables refuses changes
// that were not announced (announce_access). Announcing again costs a round trip, and is sent once.
func (tx *Tx) AnnounceAccess(ctx context.Context) error {
	b := &pgx.Batch{}
	// Citus hands "set local" on to the nodes (queueScopeOfNodes).
	b.Queue("set local assess.announced = 'true'")
	b.Queue("select pg_notify($1, $2)", AccessChannel, tx.scope.Tenant.String())
	err := tx.pgx().SendBatch(ctx, b).Close()
	if err != nil {
		return fmt.Errorf("announce a change of access: %w", err)
	}
	return nil
}
