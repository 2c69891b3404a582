package inventory

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// row is a question or an evaluation as far as its lifecycle goes.
type row struct {
	id, orgUnit      ids.ID
	status           string
	draft, published *ids.ID
	updatedAt        time.Time
}

// newest gives the version that authors see.
func (r row) newest() ids.ID {
	if r.draft != nil {
		return *r.draft
	}
	return *r.published
}

// restored gives the status that a row has when it is not archived.
func (r row) restored() string {
	if r.published == nil {
		return models.AuthoringDraft
	}
	return models.AuthoringPublished
}

// How strongly a row is locked. toChange lets others go on adding rows that refer to it:
// a submit under way needs the evaluation, and an archiving waits for that submit.
// toDelete waits for transactions that are adding such a row.
const (
	toChange = "no key update"
	toDelete = "update"
)

// lock finds rows by id and keeps others from changing them. The order keeps two such
// calls from waiting for one another. Rows outside the scope are absent.
func (k *Kind) lock(ctx context.Context, tx *db.Tx, strength string, wanted []ids.ID) (map[ids.ID]row, error) {
	rows, err := tx.Query(ctx, `
		select id, org_unit_id, status, draft_id, published_id, updated_at from `+k.name+`
		where tenant_id = $1 and id = any($2) and ($3 or org_unit_id = $4)
		order by id for `+strength, tx.Tenant(), wanted, tx.Scope().All, tx.Scope().OrgUnit)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", k.name, err)
	}
	found := make(map[ids.ID]row, len(wanted))
	var r row
	_, err = pgx.ForEachRow(rows, []any{&r.id, &r.orgUnit, &r.status, &r.draft, &r.published, &r.updatedAt}, func() error {
		found[r.id] = r
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", k.name, err)
	}
	return found, nil
}

// move gives rows that are locked a new status, an SQL expression, and the time of the
// change, which always moves forward: optimistic locking compares these times.
func (k *Kind) move(ctx context.Context, tx *db.Tx, moved []ids.ID, status string) error {
	if len(moved) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `
		update `+k.name+` set status = `+status+`, updated_at = greatest($3, just_after(updated_at))
		where tenant_id = $1 and id = any($2)`, tx.Tenant(), moved, tx.Now())
	if err != nil {
		return fmt.Errorf("change status of %s: %w", k.name, err)
	}
	return nil
}

func (k *Kind) event(what string, r row, payload map[string]any) ledger.Event {
	return ledger.Event{Type: k.noun + "." + what, SubjectType: k.noun, SubjectID: r.id, OrgUnit: r.orgUnit, Payload: payload}
}
