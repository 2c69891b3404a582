package main

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"assess/pkg/kernel/ids"
)

// hand is the login that runs hand-written statements: the superuser, to which no policy applies,
// or the login of the programs within its scope.
type hand struct {
	pool   *pgxpool.Pool
	scoped bool
}

// scopeSQL states the scope as the library does.
const scopeSQL = `select set_config('app.tenant_id', $1, true), set_config('app.org_unit_id', $2, true),
	set_config('app.scope_all', 'off', true), set_config('app.actor', $3, true)`

// do runs a transaction. A scope costs no round trip of its own: it travels with begin.
func (h hand) do(ctx context.Context, c candidate, work func(tx *pgx.Conn) error) error {
	return h.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		tx := conn.Conn()
		start := &pgx.Batch{}
		start.Queue("begin")
		if h.scoped {
			start.Queue(scopeSQL, c.scope.Tenant.String(), c.scope.OrgUnit.String(), c.scope.Actor.String())
		}
		err := tx.SendBatch(ctx, start).Close()
		if err == nil {
			err = work(tx)
		}
		if err != nil {
			tx.Close(ctx) //nolint:errcheck // rolls back; the bench ends here
			return err
		}
		_, err = tx.Exec(ctx, "commit")
		return err
	})
}

// Ids travel as bytes, in the driver's own type.
func uuid(id ids.ID) pgtype.UUID { return pgtype.UUID{Bytes: id, Valid: true} }

func uuids(all []ids.ID) pgtype.FlatArray[pgtype.UUID] {
	out := make(pgtype.FlatArray[pgtype.UUID], len(all))
	for i, id := range all {
		out[i] = uuid(id)
	}
	return out
}
