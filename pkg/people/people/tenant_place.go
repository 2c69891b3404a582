package people

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ledger"
)

// RecordMove records that the tenant's rows have moved to another node, after they did. Only operators move tenants.
// Errors: forbidden.
func RecordMove(ctx context.Context, tx *db.Tx, from, to string) error {
	return recordPlace(ctx, tx, "tenant.moved", map[string]any{"from": from, "to": to})
}

// RecordIsolation writes down that the tenant shares its shards with no other any more. Errors: forbidden.
func RecordIsolation(ctx context.Context, tx *db.Tx, node string) error {
	return recordPlace(ctx, tx, "tenant.isolated", map[string]any{"node": node})
}

func recordPlace(ctx context.Context, tx *db.Tx, event string, payload map[string]any) error {
	if tx.Actor().Kind == db.UserActor {
		return errs.New(errs.Forbidden, "Only operators place tenants.")
	}
	return ledger.Append(ctx, tx, ledger.Event{Type: event, SubjectType: "tenant", SubjectID: tx.Tenant(), Payload: payload})
}
