package session

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// rewindSQL finds nothing the second time, and nothing once an answer is saved.
const rewindSQL = `
update sessions set started_at = started_at - $3::interval
where tenant_id = $1 and id = $2 and state || '' = 'open' and started_at = last_activity_at
returning org_unit_id`

// Rewind lets a session have begun that long ago: a demonstration answers at once what took people half an hour. It moves a session
// once, before its first answer, and tells the ledger. Only an operator may. Errors: forbidden.
func Rewind(ctx context.Context, tx *db.Tx, session ids.ID, took time.Duration) error {
	if tx.Actor().Kind != db.OperatorActor || took < 0 {
		return errs.New(errs.Forbidden, "Only an operator moves the start of a session, and only back.")
	}
	rows, err := tx.Query(ctx, rewindSQL, tx.Tenant(), session, took)
	if err != nil {
		return fmt.Errorf("rewind a session: %w", err)
	}
	moved, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil || len(moved) == 0 {
		return err //nolint:wrapcheck // the statement is named above
	}
	return ledger.Append(ctx, tx, ledger.Event{Type: "session.rewound", SubjectType: "session", SubjectID: session, OrgUnit: moved[0],
		Payload: map[string]any{"seconds": int64(took.Seconds())}})
}
