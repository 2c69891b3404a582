package assignment

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// findStored finds the assignments that the slots already have, and requires assignments.manage
// when one of them would change. Of several public links of a slot it takes the oldest.
func findStored(ctx context.Context, tx *db.Tx, org ids.ID, checks []ImportCheck) error {
	var refs, labels []string
	var links []ids.ID
	for _, c := range checks {
		switch {
		case c.slot == (Slot{}):
			continue
		case c.slot.Type == models.TargetPublicLink:
			links = append(links, c.slot.Evaluation)
		default:
			refs = append(refs, c.slot.Target)
		}
		labels = append(labels, c.slot.RunLabel)
	}
	stored := map[Slot]models.Assignment{}
	err := loadStored(ctx, tx, stored, storedTargetsSQL, org, refs, labels)
	if err != nil {
		return err
	}
	if len(links) > 0 {
		err = loadStored(ctx, tx, stored, storedLinksSQL, org, links, labels)
		if err != nil {
			return err
		}
	}
	changes := false
	for i, c := range checks {
		row, there := stored[c.slot]
		if !there || len(c.Problems) > 0 {
			continue
		}
		checks[i].stored, checks[i].changes = &row.ID, c.differs(row)
		changes = changes || checks[i].changes
	}
	if changes {
		return tx.Require(capability.AssignmentsManage)
	}
	return nil
}

// The rows are matched with their slots here: without statistics of a table that grows, the
// database would compare each with each.
const (
	storedTargetsSQL = `select id, evaluation_id, target_type, coalesce(target_ref, ''), coalesce(run_label, ''),
			valid_from, valid_until, subject_id, engagement_id from assignments
		where tenant_id = $1 and org_unit_id = $2 and target_ref = any($3) and status = 'active' and coalesce(run_label, '') = any($4)`
	storedLinksSQL = `select id, evaluation_id, target_type, '', coalesce(run_label, ''),
			valid_from, valid_until, subject_id, engagement_id from assignments
		where tenant_id = $1 and org_unit_id = $2 and target_ref is null and evaluation_id = any($3) and status = 'active'
			and coalesce(run_label, '') = any($4)
		order by created_at, id`
)

// loadStored adds assignments to the known ones; the first of a slot stays.
func loadStored(ctx context.Context, tx *db.Tx, stored map[Slot]models.Assignment, sql string, org ids.ID, of any, labels []string) error {
	rows, err := tx.Query(ctx, sql, tx.Tenant(), org, of, labels)
	if err != nil {
		return fmt.Errorf("look up assignments: %w", err)
	}
	var slot Slot
	var row models.Assignment
	into := []any{&row.ID, &slot.Evaluation, &slot.Type, &slot.Target, &slot.RunLabel, &row.ValidFrom, &row.ValidUntil, &row.SubjectID, &row.EngagementID}
	_, err = pgx.ForEachRow(rows, into, func() error {
		if _, known := stored[slot]; !known {
			stored[slot] = row
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look up assignments: %w", err)
	}
	return nil
}

// differs says that the row of the file would change the assignment.
func (c ImportCheck) differs(row models.Assignment) bool {
	return !sameTime(c.row.ValidFrom, row.ValidFrom) || !sameTime(c.row.ValidUntil, row.ValidUntil) ||
		!sameID(c.subject, row.SubjectID) || !sameID(c.engagement, row.EngagementID)
}

// sameTime compares moments as the database keeps them, in microseconds.
func sameTime(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Truncate(time.Microsecond).Equal(b.Truncate(time.Microsecond))
}

func sameID(a, b *ids.ID) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
