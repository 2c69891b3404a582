package session

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// abandonSQL looks at each session as the last holder of its lock left it: one that was saved into
// meanwhile stays open.
const abandonSQL = `
with abandoned as (
	update sessions set state = $5, ended_at = $3
	where tenant_id = $1 and id = any($2) and state = 'open' and deadline_at is null and last_activity_at < $4
	returning id
)
insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) select $1, 'session', id, $3 from abandoned returning true`

// Abandon ends the sessions among these that have no deadline and no activity since before, and
// gives their number. Saved answers stay and can be read; nothing is submitted, and the attempt
// counts. Capability: sessions.proctor.
func Abandon(ctx context.Context, tx *db.Tx, sessions []ids.ID, before time.Time) (int, error) {
	err := tx.Require(capability.SessionsProctor)
	if err != nil {
		return 0, err
	}
	n, err := tx.Exec(ctx, abandonSQL, tx.Tenant(), sessions, tx.Now(), before, abandoning.To)
	if err != nil {
		return 0, fmt.Errorf("abandon sessions: %w", err)
	}
	ended(tx, abandoning.To, int(n))
	return int(n), nil
}
