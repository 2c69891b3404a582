package session

import (
	"context"
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// endOfSQL closes sessions whose time is over, too: what was saved in them goes with the person.
const endOfSQL = `
with closed as (
	update sessions set state = $4, ended_at = greatest($3, last_activity_at)
	where tenant_id = $1 and user_id = $2 and state || '' = 'open' returning id
)
insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) select $1, 'session', id, $3 from closed returning true`

// EndOf closes the open sessions of a person who will be forgotten, in every org unit that the scope
// reaches, and gives their number. It waits for saves and submits under way. The caller has checked the
// capability.
func EndOf(ctx context.Context, tx *db.Tx, user ids.ID) (int64, error) {
	n, err := tx.Exec(ctx, endOfSQL, tx.Tenant(), user, tx.Now(), forgetting.To)
	if err != nil {
		return 0, fmt.Errorf("end the sessions of a person: %w", err)
	}
	ended(tx, forgetting.To, int(n))
	return n, nil
}
