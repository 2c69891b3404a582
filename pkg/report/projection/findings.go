package projection

import (
	"context"
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// A finding never changes, so its row in the reports is written once, or is there already; the
// order of writing cannot matter. It stays when its submission is voided: it counts in no figure,
// and a dispute may be about it.
const writeFindingsSQL = `
insert into report_findings (tenant_id, org_unit_id, submission_id, finding_id, submission_item_id, code, severity,
	detected_at, ledger_event_id)
select tenant_id, org_unit_id, submission_id, id, submission_item_id, code, severity, detected_at, ledger_event_id
from findings where tenant_id = $1 and ($2::uuid[] is null or id = any($2))
order by tenant_id, submission_id, id
on conflict do nothing`

// applyFindings writes findings into the reports; all of the tenant's for nil. It is the last
// step of a batch, so that its locks come after all others.
func applyFindings(ctx context.Context, tx *db.Tx, findings []ids.ID) error {
	_, err := tx.Exec(ctx, writeFindingsSQL, tx.Tenant(), findings)
	if err != nil {
		return fmt.Errorf("write findings: %w", err)
	}
	return nil
}
