package evidence

import (
	"context"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Check is the result of a look at the file of evidence.
type Check struct {
	ID ids.ID
	// Result is ok, changed or missing.
	Result string
}

// Check reads the file of evidence and compares it with its hash; RecordChecks writes down the
// result. It runs outside of a transaction, since reading may take long. Capability: one of
// Readers. Errors: not_found, storage_unavailable.
func (f *Files) Check(ctx context.Context, scope db.Scope, id ids.ID) (Check, error) {
	var e Evidence
	err := f.store.Read(ctx, scope, func(tx *db.Tx) error {
		var err error
		e, err = Get(ctx, tx, id)
		return err
	})
	if err != nil {
		return Check{}, err
	}
	return f.look(ctx, scope.Tenant, e.ID, e.SHA256)
}

func (f *Files) look(ctx context.Context, tenant, id ids.ID, sha256 string) (Check, error) {
	err := f.Verify(ctx, tenant, sha256)
	switch {
	case err == nil:
		return Check{id, models.IntegrityOK}, nil
	case !errors.Is(err, errs.FileDamaged):
		return Check{}, err
	}
	there, err := f.Exists(ctx, tenant, sha256)
	if err != nil {
		return Check{}, err
	}
	if there {
		return Check{id, models.IntegrityChanged}, nil
	}
	return Check{id, models.IntegrityMissing}, nil
}

const recordChecksSQL = `
with found as (
	select * from unnest($2::uuid[], $3::text[]) f (id, result)
), locked as (
	select e.id, f.result from evidence e join found f on f.id = e.id
	where e.tenant_id = $1 and e.id = any($2) order by e.id for no key update of e
)
update evidence e set integrity = l.result, checked_at = $4
from locked l where e.tenant_id = $1 and e.id = l.id
returning e.id`

// RecordChecks stores what checks found, an event each, and gives the evidence in the order
// of the checks. Capability: one of Readers. Errors: not_found.
func RecordChecks(ctx context.Context, tx *db.Tx, checks ...Check) ([]Evidence, error) {
	if err := requireOne(tx, Readers...); err != nil {
		return nil, err
	}
	var all []ids.ID
	var results []string
	for _, c := range checks {
		all, results = append(all, c.ID), append(results, c.Result)
	}
	n, err := tx.Exec(ctx, recordChecksSQL, tx.Tenant(), all, results, tx.Now())
	if err != nil {
		return nil, fmt.Errorf("record checks: %w", err)
	}
	if int(n) != len(checks) {
		return nil, notFound("evidence")
	}
	var found []models.Evidence
	err = tx.NewSelect().Model(&found).Apply(tx.InScope).Where("e.id in (?)", bun.List(all)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("find checked evidence: %w", err)
	}
	rows := map[ids.ID]models.Evidence{}
	for _, row := range found {
		rows[row.ID] = row
	}
	var checked []Evidence
	var events []ledger.Event
	for _, id := range all {
		row := rows[id]
		checked = append(checked, evidenceOf(row))
		events = append(events, event(row, "integrity.checked", map[string]any{"result": row.Integrity, "sha256": row.SHA256}))
	}
	return checked, ledger.Append(ctx, tx, events...)
}
