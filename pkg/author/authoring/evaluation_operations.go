package authoring

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// CreateEvaluation adds an evaluation with a first draft, which may be incomplete. Errors:
// validation_failed, external_id_taken.
func CreateEvaluation(ctx context.Context, tx *db.Tx, in EvaluationInput) (Evaluation, error) {
	return evaluationStore.create(ctx, tx, in)
}

// UpdateEvaluation changes the draft; a published evaluation without one gets a new draft
// that starts from the published version. Errors: not_found, archived, stale_update,
// validation_failed, external_id_taken.
func UpdateEvaluation(ctx context.Context, tx *db.Tx, id ids.ID, patch EvaluationPatch) (Evaluation, error) {
	return evaluationStore.update(ctx, tx, id, patch.UpdatedAt, func(e *evaluationEdit) (EvaluationInput, error) {
		current, err := saidByEvaluation(e)
		return overlaid(current, patch), err
	})
}

// CreateEvaluationVersion begins a new draft as a copy of the published version. Errors:
// not_found, archived, conflict when there is a draft already.
func CreateEvaluationVersion(ctx context.Context, tx *db.Tx, id ids.ID) (Evaluation, error) {
	return evaluationStore.begin(ctx, tx, id)
}

// UpsertEvaluations writes evaluations by external id in the home org unit, as
// UpsertCheckedQuestions writes questions. Paths of problems start at evaluations[0].
func UpsertEvaluations(ctx context.Context, tx *db.Tx, inputs []EvaluationInput) ([]Upserted, error) {
	return evaluationStore.upsert(ctx, tx, inputs)
}

// CheckUpsertEvaluations is CheckUpsertQuestions for UpsertEvaluations.
func CheckUpsertEvaluations(ctx context.Context, tx *db.Tx, inputs []EvaluationInput) ([]errs.Field, error) {
	return evaluationStore.checkUpsert(ctx, tx, inputs)
}

// GetEvaluation gives an evaluation with its draft and its published version. Errors:
// not_found.
func GetEvaluation(ctx context.Context, tx *db.Tx, id ids.ID) (Evaluation, error) {
	return evaluationStore.get(ctx, tx, id)
}

// FindEvaluations gives the ids of evaluations of the home org unit by their external ids;
// unknown ones are absent.
func FindEvaluations(ctx context.Context, tx *db.Tx, externalIDs []string) (map[string]ids.ID, error) {
	return evaluationStore.findExternal(ctx, tx, externalIDs)
}

// GetEvaluationTerms gives the terms of an evaluation. It needs only taxonomy.read.
// Errors: not_found.
func GetEvaluationTerms(ctx context.Context, tx *db.Tx, id ids.ID) (AssignedTerms, error) {
	return evaluationStore.getTerms(ctx, tx, id)
}

// SetEvaluationTerms replaces the terms of an evaluation, as SetQuestionTerms does for a
// question. Errors: the same.
func SetEvaluationTerms(ctx context.Context, tx *db.Tx, id ids.ID, in TermsInput) (AssignedTerms, error) {
	return evaluationStore.setTerms(ctx, tx, id, in)
}
