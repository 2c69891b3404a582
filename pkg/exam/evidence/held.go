package evidence

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// HeldOn gives the evidence about all submissions of a person in the order of their ids, voided
// evidence too: its file is kept. Erased evidence is no longer held. It requires no capability: the caller checks who may export
// the data held about a person.
func HeldOn(ctx context.Context, tx *db.Tx, user ids.ID) ([]Evidence, error) {
	var rows []models.Evidence
	err := tx.NewRaw(`
		select e.id, e.submission_id, e.item_id, e.kind, e.media_type, e.size_bytes, e.sha256, e.storage_tier, e.integrity, e.checked_at,
			e.added_by, e.created_at, e.void_reason, e.voided_by, e.voided_at
		from (select id from submissions where tenant_id = ?0 and user_id = ?1 offset 0) s
		cross join lateral (select * from evidence e where e.tenant_id = ?0 and e.submission_id = s.id and e.erased_at is null offset 0) e
		order by e.submission_id, e.id`, tx.Tenant(), user).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("find the evidence about a person: %w", err)
	}
	held := make([]Evidence, 0, len(rows))
	for _, row := range rows {
		held = append(held, evidenceOf(row))
	}
	return held, nil
}
