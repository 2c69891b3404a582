package programme

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// DeleteSubject removes a subject that nothing is about. It needs subjects.manage. Errors: not_found, subject_in_use.
func DeleteSubject(ctx context.Context, tx *db.Tx, id ids.ID) error {
	row, err := findToDelete[models.Subject](ctx, tx, "subject", id, errs.SubjectInUse, `
		exists (select from engagements where tenant_id = $1 and subject_id = $2)
		or exists (select from assignments where tenant_id = $1 and subject_id = $2)
		or exists (select from assignment_schedules where tenant_id = $1 and subject_id = $2)`)
	if err != nil {
		return err
	}
	return remove(ctx, tx, &row, subjectEvent("deleted", row.ID, row.OrgUnitID))
}

// DeleteEngagement removes an engagement that nothing was assigned for. It needs subjects.manage. Errors: not_found,
// engagement_in_use.
func DeleteEngagement(ctx context.Context, tx *db.Tx, id ids.ID) error {
	row, err := findToDelete[models.Engagement](ctx, tx, "engagement", id, errs.EngagementInUse, `
		exists (select from assignments where tenant_id = $1 and engagement_id = $2)
		or exists (select from assignment_schedules where tenant_id = $1 and engagement_id = $2)`)
	if err != nil {
		return err
	}
	return remove(ctx, tx, &row, engagementEvent("deleted", row))
}

// DeleteRequirement removes a programme requirement that nobody has worked on in the queue of exceptions. It needs
// subjects.manage. Errors: not_found, requirement_in_use.
func DeleteRequirement(ctx context.Context, tx *db.Tx, id ids.ID) error {
	row, err := findToDelete[models.ProgrammeRequirement](ctx, tx, "programme requirement", id, errs.RequirementInUse, `
		exists (select from defensibility_rollup_triage where tenant_id = $1 and kind = 'programme_requirement' and target_id = $2
			and org_unit_id = (select org_unit_id from programme_requirements where tenant_id = $1 and id = $2))`)
	if err != nil {
		return err
	}
	return remove(ctx, tx, &row, requirementEvent("deleted", row))
}

// findToDelete reads a record and keeps others from referring to it. usedSQL says whether one does: $1 is the tenant, $2 the
// record.
func findToDelete[T any](ctx context.Context, tx *db.Tx, what string, id ids.ID, inUse errs.Code, usedSQL string) (T, error) {
	var none T
	err := tx.Require(capability.SubjectsManage)
	if err != nil {
		return none, err
	}
	row, err := find[T](ctx, tx, what, id, "update")
	if err != nil {
		return none, err
	}
	var used bool
	err = tx.QueryRow(ctx, "select "+usedSQL, tx.Tenant(), id).Scan(&used)
	if err != nil {
		return none, fmt.Errorf("find what refers to %s: %w", what, err)
	}
	if used {
		return none, errs.New(inUse, "%s", errs.Meaning(inUse))
	}
	return row, nil
}

func remove(ctx context.Context, tx *db.Tx, row any, e ledger.Event) error {
	_, err := tx.NewDelete().Model(row).WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	return ledger.Append(ctx, tx, e)
}
