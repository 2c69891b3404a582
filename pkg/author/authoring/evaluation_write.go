package authoring

import (
	"context"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// CreateEvaluation adds an evaluation with a first draft, which may be incomplete. Errors:
// validation_failed, external_id_taken.
func CreateEvaluation(ctx context.Context, tx *db.Tx, in EvaluationInput) (Evaluation, error) {
	if err := tx.Require(capability.EvaluationsWrite); err != nil {
		return Evaluation{}, err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return Evaluation{}, err
	}
	return writeEvaluation(ctx, tx, newEvaluationEdit(tx, org), in)
}

// UpdateEvaluation changes the draft; a published evaluation without one gets a new draft
// that starts from the published version. Errors: not_found, archived, stale_update,
// validation_failed, external_id_taken.
func UpdateEvaluation(ctx context.Context, tx *db.Tx, id ids.ID, patch EvaluationPatch) (Evaluation, error) {
	if err := tx.Require(capability.EvaluationsWrite); err != nil {
		return Evaluation{}, err
	}
	edit, err := takeUpEvaluation(ctx, tx, id)
	if err != nil {
		return Evaluation{}, err
	}
	if err := db.Fresh(patch.UpdatedAt, edit.evaluation.UpdatedAt); err != nil {
		return Evaluation{}, err
	}
	current, err := edit.before()
	if err != nil {
		return Evaluation{}, err
	}
	return writeEvaluation(ctx, tx, edit, patch.over(current.input(text(edit.evaluation.ExternalID))))
}

// CreateEvaluationVersion begins a new draft as a copy of the published version. Errors:
// not_found, archived, conflict when there is a draft already.
func CreateEvaluationVersion(ctx context.Context, tx *db.Tx, id ids.ID) (Evaluation, error) {
	if err := tx.Require(capability.EvaluationsWrite); err != nil {
		return Evaluation{}, err
	}
	edit, err := takeUpEvaluation(ctx, tx, id)
	if err != nil {
		return Evaluation{}, err
	}
	if edit.evaluation.DraftID != nil {
		return Evaluation{}, errs.New(errs.Conflict, "There is a draft already.").With("draftId", *edit.evaluation.DraftID)
	}
	edit.evaluation.UpdatedAt = tx.ChangedAt(edit.evaluation.UpdatedAt)
	edit.begin(tx)
	return storeEvaluation(ctx, tx, edit, "version_created")
}

// takeUpEvaluation locks an evaluation for a change.
func takeUpEvaluation(ctx context.Context, tx *db.Tx, id ids.ID) (evaluationEdit, error) {
	locked, err := lockEvaluation(ctx, tx, id)
	if err != nil {
		return evaluationEdit{}, err
	}
	if err := checkChangeable(locked.Status); err != nil {
		return evaluationEdit{}, err
	}
	versions, err := evaluationVersions(ctx, tx, []models.Evaluation{locked})
	if err != nil {
		return evaluationEdit{}, err
	}
	edit := openEvaluationEdit(locked, versions)
	return edit, followMergesOfEvaluations(ctx, tx, []*evaluationEdit{&edit})
}

func writeEvaluation(ctx context.Context, tx *db.Tx, edit evaluationEdit, in EvaluationInput) (Evaluation, error) {
	unusable, err := checkUses(ctx, tx, edit.uses("", in))
	if err != nil {
		return Evaluation{}, err
	}
	if err := errs.Invalid(append(in.Problems(""), unusable...)...); err != nil {
		return Evaluation{}, err
	}
	before, err := edit.before()
	if err != nil {
		return Evaluation{}, err
	}
	what := "updated"
	if edit.isNew() {
		what = "created"
	}
	err = edit.write(tx, in.keepIDs(before))
	if err != nil {
		return Evaluation{}, err
	}
	return storeEvaluation(ctx, tx, edit, what)
}

func storeEvaluation(ctx context.Context, tx *db.Tx, edit evaluationEdit, what string) (Evaluation, error) {
	err := saveEvaluations(ctx, tx, []evaluationEdit{edit})
	if err != nil {
		return Evaluation{}, err
	}
	err = ledger.Append(ctx, tx, edit.event(what, nil))
	if err != nil {
		return Evaluation{}, err
	}
	return readEvaluation(ctx, tx, edit.evaluation)
}

// readEvaluation gives an evaluation whose row is at hand.
func readEvaluation(ctx context.Context, tx *db.Tx, row models.Evaluation) (Evaluation, error) {
	versions, err := evaluationVersions(ctx, tx, []models.Evaluation{row})
	if err != nil {
		return Evaluation{}, err
	}
	return evaluationOf(row, versions)
}
