package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Entry is an event as the ledger has it. Actor is user:<id>, operator:<name> or system:<job>.
type Entry struct {
	Seq        int64
	Type       string
	Actor      string
	OccurredAt time.Time
	Payload    json.RawMessage
}

// About gives the events about one subject after a number of the sequence, oldest first, at most
// limit of them; types selects among them, and none selects all. It checks no capability: the
// caller decides who may see the events.
func About(ctx context.Context, tx *db.Tx, subject ids.ID, after int64, limit int, types ...string) ([]Entry, error) {
	rows, err := tx.Query(ctx, `
		select seq, event_type, actor, occurred_at, payload from ledger_events
		where tenant_id = $1 and subject_id = $2 and seq > $3 and (cardinality($5::text[]) = 0 or event_type = any($5))
		order by seq limit $4`, tx.Tenant(), subject, after, limit, append([]string{}, types...))
	if err != nil {
		return nil, fmt.Errorf("find events about a subject: %w", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Entry, error) {
		var e Entry
		err := row.Scan(&e.Seq, &e.Type, &e.Actor, &e.OccurredAt, &e.Payload)
		e.OccurredAt = e.OccurredAt.UTC()
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("find events about a subject: %w", err)
	}
	return found, nil
}
