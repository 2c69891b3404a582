package remediation

import (
	"context"
	"fmt"
	"slices"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/job"
)

// Apply sets a remediation in motion: a job, or a caller of Run, corrects the submissions. Applying
// again changes nothing; one that failed starts again. Capability: remediations.manage. Errors:
// not_found, remediation_under_way while it is being reverted, four_eyes_required where it would
// change the actor's own scores.
func Apply(ctx context.Context, tx *db.Tx, id ids.ID) (Remediation, error) {
	row, err := find(ctx, tx, id, true)
	if err != nil {
		return Remediation{}, err
	}
	switch row.State {
	case models.RemediationApplied, models.RemediationApplying:
		return again(ctx, tx, row)
	case models.RemediationReverting:
		return Remediation{}, errs.New(errs.RemediationUnderWay, "The remediation is being reverted; wait until that is done.").With("state", row.State)
	}
	err = refuseOwnChange(ctx, tx, row, ActionApply)
	if err != nil {
		return Remediation{}, err
	}
	return begin(ctx, tx, row, models.RemediationApplying)
}

// Revert takes a remediation back in the same way. Capability: remediations.manage. Errors:
// not_found, remediation_not_applied for a draft, remediation_under_way while it is being
// applied, four_eyes_required where it would change the actor's own scores.
func Revert(ctx context.Context, tx *db.Tx, id ids.ID) (Remediation, error) {
	row, err := find(ctx, tx, id, true)
	if err != nil {
		return Remediation{}, err
	}
	switch row.State {
	case models.RemediationReverted, models.RemediationReverting:
		return again(ctx, tx, row)
	case models.RemediationDraft:
		return Remediation{}, errs.New(errs.RemediationNotApplied, "The remediation is a draft: there is nothing to take back.")
	case models.RemediationApplying:
		return Remediation{}, errs.New(errs.RemediationUnderWay, "The remediation is being applied; wait until that is done.").With("state", row.State)
	}
	err = refuseOwnChange(ctx, tx, row, ActionRevert)
	if err != nil {
		return Remediation{}, err
	}
	return begin(ctx, tx, row, models.RemediationReverting)
}

// again answers when the remediation is done or under way. One more job does no harm: it finds out
// whether there is anything left to do.
func again(ctx context.Context, tx *db.Tx, row models.Remediation) (Remediation, error) {
	known, err := view(row)
	if err != nil || !known.UnderWay() {
		return known, err
	}
	return known, job.Insert(ctx, tx, Job{Tenant: tx.Tenant(), Remediation: row.ID})
}

func begin(ctx context.Context, tx *db.Tx, row models.Remediation, state string) (Remediation, error) {
	actor, now := tx.Actor().String(), tx.Now()
	row.State, row.StartedBy, row.Reached, row.DoneN, row.ChangedN = state, &actor, nil, 0, 0
	row.UpdatedAt, row.SteppedAt = tx.ChangedAt(row.UpdatedAt), &now
	var err error
	row.OpenN, err = countOpen(ctx, tx, row)
	if err != nil {
		return Remediation{}, err
	}
	columns := []string{"state", "started_by", "reached", "done_n", "changed_n", "open_n", "updated_at", "stepped_at"}
	if state == models.RemediationApplying {
		var number int64
		err := tx.QueryRow(ctx, "select nextval('remediation_order')").Scan(&number)
		if err != nil {
			return Remediation{}, fmt.Errorf("number remediation: %w", err)
		}
		row.AppliedNumber = &number
		columns = append(slices.Clone(columns), "applied_number")
	}
	_, err = tx.NewUpdate().Model(&row).Column(columns...).WherePK().Exec(ctx)
	if err != nil {
		return Remediation{}, fmt.Errorf("begin remediation: %w", err)
	}
	err = queueKey(ctx, tx, row)
	if err != nil {
		return Remediation{}, err
	}
	started, err := view(row)
	if err != nil {
		return Remediation{}, err
	}
	return started, job.Insert(ctx, tx, Job{Tenant: tx.Tenant(), Remediation: row.ID})
}
