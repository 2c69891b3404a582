package assignment

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// withdrawSQL closes what was handed out to one person, with its links and the mails that wait. An
// assignment of a group or of a public link is about others too, and stays.
const withdrawSQL = `
	with closed as (
		update assignments set status = 'closed', updated_at = $4
		where tenant_id = $1 and target_ref = ($2::uuid)::text and target_type in ('user_id', 'email') and status = 'active'
			and ($3::uuid is null or org_unit_id = $3)
		returning id, org_unit_id
	), waiting as (
		update assignment_invitations set status = 'failed', problem = 'withdrawn'
		where tenant_id = $1 and user_id = $2 and status in ('queued', 'sending') and ($3::uuid is null or org_unit_id = $3)
		returning assignment_id
	), links as (
		delete from magic_links where tenant_id = $1 and user_id = $2 and assignment_id is not null and redeemed_at is null
			and ($3::uuid is null or org_unit_id = $3)
	)
	select id, org_unit_id, (select count(*) from waiting) from closed
	union all
	select null, null, (select count(*) from waiting) where not exists (select from closed)`

const countWithdrawnSQL = `
	insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) select $1, 'assignment', id, $3 from unnest($2::uuid[]) id returning true`

// Withdraw closes the assignments and withdraws the invitations of one person, in one org unit or, with
// ids.None, in all. It gives the number of each. The caller has checked the capability and has the whole
// tenant in scope.
func Withdraw(ctx context.Context, tx *db.Tx, person, orgUnit ids.ID) (assignments, invitations int64, err error) {
	rows, err := tx.Query(ctx, withdrawSQL, tx.Tenant(), person, ids.Ref(orgUnit), tx.Now())
	if err != nil {
		return 0, 0, fmt.Errorf("withdraw assignments: %w", err)
	}
	var events []ledger.Event
	var closed []ids.ID
	var id, org *ids.ID
	_, err = pgx.ForEachRow(rows, []any{&id, &org, &invitations}, func() error {
		if id != nil {
			closed = append(closed, *id)
			events = append(events, ledger.Event{Type: "assignment.updated", SubjectType: "assignment", SubjectID: *id, OrgUnit: *org,
				Payload: map[string]any{"status": "closed"}})
		}
		return nil
	})
	if err != nil {
		return 0, 0, fmt.Errorf("withdraw assignments: %w", err)
	}
	if len(closed) > 0 {
		err = tx.AtCommit(ctx, countWithdrawnSQL, tx.Tenant(), closed, tx.Now())
		if err != nil {
			return 0, 0, fmt.Errorf("withdraw assignments: %w", err)
		}
	}
	return int64(len(events)), invitations, ledger.Append(ctx, tx, events...)
}
