package translog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
)

// Standing is how far the log of a tenant is behind its ledger.
type Standing struct {
	// Uncovered events are not under a signed checkpoint yet; Since is when the first of them happened.
	Uncovered int64
	Since     *time.Time
	// Kept is when the first checkpoint was signed that has no copy outside the database; nil where all have one.
	Kept *time.Time
	// Beyond says that copies are marked as made that no checkpoint is there for.
	Beyond bool
	// Outside are keys that no key of the chain has signed.
	Outside int
}

const standingSQL = `
	select h.last_seq - coalesce(l.signed, 0),
		(select e.occurred_at from ledger_events e where e.tenant_id = $1 and e.seq = coalesce(l.signed, 0) + 1),
		(select c.created_at from ledger_checkpoints c where c.tenant_id = $1 and c.size > coalesce(l.published, 0) order by c.size limit 1),
		coalesce(l.published > coalesce((select max(c.size) from ledger_checkpoints c where c.tenant_id = $1), 0), false)
	from ledger_heads h left join ledger_logs l on l.tenant_id = h.tenant_id
	where h.tenant_id = $1`

// GetStanding reads how far the log is behind. A tenant without events is not.
func GetStanding(ctx context.Context, tx *db.Tx) (Standing, error) {
	var s Standing
	err := tx.QueryRow(ctx, standingSQL, tx.Tenant()).Scan(&s.Uncovered, &s.Since, &s.Kept, &s.Beyond)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return s, fmt.Errorf("read how far the log is: %w", err)
	}
	keys, err := ListKeys(ctx, tx)
	s.Outside = len(keys.Outside)
	return s, err
}
