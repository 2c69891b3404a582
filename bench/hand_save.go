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

// answer is one answer to save.
type answer struct {
	item     ids.ID
	sequence int64
	response string
	spent    int64
}

// kept says that an answer is saved.
type kept struct {
	Revision int64     `json:"revision"`
	Receipt  []byte    `json:"receipt"`
	SavedAt  time.Time `json:"savedAt"`
}

// save stores one answer.
func (h hand) save(ctx context.Context, c candidate, session ids.ID, a answer) (kept, error) {
	tenant, id := uuid(c.scope.Tenant), uuid(session)
	k := kept{SavedAt: time.Now()}
	err := h.do(ctx, c, func(tx *pgx.Conn) error {
		err := tx.QueryRow(ctx, handTouchSQL, tenant, id, k.SavedAt, []byte(a.response)).Scan(&k.Revision, &k.Receipt)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, handAnswerSQL, tenant, id, uuid(c.scope.OrgUnit), uuid(a.item), a.sequence, a.response, a.spent, k.SavedAt)
		return err
	})
	return k, err
}

const savedResponse = `{"optionIds": ["B"]}`
