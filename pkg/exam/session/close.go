package session

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// ErrOwnOpenSession keeps people who are taking an evaluation from archiving it: their session
// would be closed, and a closed session does not count as an attempt.
var ErrOwnOpenSession = errs.New(errs.FourEyesRequired, "You have an open session of it. Submit that first, or let somebody else archive it.")

// closeSQL, for an evaluation that is archived, leaves sessions whose time is over to expiry,
// which submits what was saved in time. A save or submit that holds a session's row is waited
// for, and the row is taken as that left it.
const closeSQL = `
update sessions set state = $4, ended_at = greatest($3, last_activity_at)
where tenant_id = $1 and evaluation_id = any($2) and state = 'open' and (deadline_at is null or deadline_at >= $3)
returning id, evaluation_id`

const countClosedSQL = `
insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) select $1, 'session', id, $3 from unnest($2::uuid[]) id returning true`

// CloseSessions ends the active sessions of evaluations and gives their number by
// evaluation, in one statement for any number of them; the changes for the projector to count go with
// the commit. The caller has archived the evaluations in the same transaction, so that no session can
// start meanwhile, and has checked the capability. Errors: ErrOwnOpenSession.
func CloseSessions(ctx context.Context, tx *db.Tx, evaluations []ids.ID) (map[ids.ID]int, error) {
	closed := map[ids.ID]int{}
	if len(evaluations) == 0 {
		return closed, nil
	}
	own, err := OwnOpen(ctx, tx, evaluations)
	if err != nil {
		return nil, err
	}
	if len(own) > 0 {
		return nil, ErrOwnOpenSession
	}
	rows, err := tx.Query(ctx, closeSQL, tx.Tenant(), evaluations, tx.Now(), archiving.To)
	if err != nil {
		return nil, fmt.Errorf("close sessions: %w", err)
	}
	var sessions []ids.ID
	var session, evaluation ids.ID
	_, err = pgx.ForEachRow(rows, []any{&session, &evaluation}, func() error {
		sessions = append(sessions, session)
		closed[evaluation]++
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("close sessions: %w", err)
	}
	if len(sessions) == 0 {
		return closed, nil
	}
	ended(tx, archiving.To, len(sessions))
	return closed, tx.AtCommit(ctx, countClosedSQL, tx.Tenant(), sessions, tx.Now())
}

// OwnOpen gives the evaluations in which the actor has an open session whose time is not over.
func OwnOpen(ctx context.Context, tx *db.Tx, evaluations []ids.ID) ([]ids.ID, error) {
	if tx.Actor().Kind != db.UserActor || len(evaluations) == 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx, `
		select distinct evaluation_id from sessions
		where tenant_id = $1 and user_id = $2 and evaluation_id = any($3)
			and state || '' = 'open' and (deadline_at is null or deadline_at >= $4)`,
		tx.Tenant(), tx.Actor().ID, evaluations, tx.Now())
	if err != nil {
		return nil, fmt.Errorf("find own sessions: %w", err)
	}
	own, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("find own sessions: %w", err)
	}
	return own, nil
}
