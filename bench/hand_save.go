package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/ids"
)

const (
	handTouchSQL = `
		update sessions set revision = revision + 1, receipt = sha256(receipt || $4::bytea), last_activity_at = $3
		where tenant_id = $1 and id = $2 and state = 'open'
		returning revision, receipt`
	handAnswerSQL = `
		insert into session_answers (tenant_id, session_id, org_unit_id, item_id, sequence, response, time_spent_ms, answered_at)
		values ($1, $2, $3, $4, $5, $6::text::jsonb, $7, $8)
		on conflict (tenant_id, session_id, item_id) do update set sequence = excluded.sequence,
			response = excluded.response, time_spent_ms = excluded.time_spent_ms, answered_at = excluded.answered_at`
)

// save stores one answer.
func (h hand) save(ctx context.Context, c candidate, session, item ids.ID, sequence int64) error {
	tenant, id := uuid(c.scope.Tenant), uuid(session)
	return h.do(ctx, c, func(tx *pgx.Conn) error {
		now := time.Now()
		var revision int64
		var receipt []byte
		err := tx.QueryRow(ctx, handTouchSQL, tenant, id, now, []byte(savedResponse)).Scan(&revision, &receipt)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, handAnswerSQL, tenant, id, uuid(c.scope.OrgUnit), uuid(item), sequence, savedResponse, 1500, now)
		return err
	})
}

const savedResponse = `{"optionIds": ["B"]}`
