package session

import (
	"context"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/metric"
)

// ended counts sessions that a transaction ends.
func ended(tx *db.Tx, state string, n int) {
	tx.Count(metric.SessionsEnded.WithLabelValues(state), n)
}

// mostCounted bounds what CountOpen reads.
const mostCounted = 100_000

// Sessions with a deadline all end some day, and sessions without one all began before that day.
const countOpenSQL = `select (select count(*) from overdue_sessions('infinity', $1)) + (select count(*) from idle_sessions('infinity', $1))`

// CountOpen gives the number of open sessions of all tenants, including sessions whose time is over but
// that expiry has not ended yet. It counts up to 100,000 with a deadline and up to 100,000 without.
func CountOpen(ctx context.Context, in interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) (int64, error) {
	var n int64
	err := in.QueryRow(ctx, countOpenSQL, mostCounted).Scan(&n)
	return n, db.Translate(err)
}
