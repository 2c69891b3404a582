package authoring

import (
	"context"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// CheckUpsertQuestions names everything that UpsertQuestions would have against the inputs,
// with its paths. It writes nothing, and takes locks: run it in db.Tx.Rehearse.
func CheckUpsertQuestions(ctx context.Context, tx *db.Tx, inputs []QuestionInput) ([]errs.Field, error) {
	org, err := upsertHome(tx, capability.QuestionsWrite)
	if err != nil || len(inputs) == 0 {
		return nil, err
	}
	edits, err := openQuestionEdits(ctx, tx, org, inputs)
	if err != nil {
		return nil, err
	}
	found, _, err := upsertProblems(ctx, tx, edits, inputs)
	return found, err
}

// CheckUpsertPassages is CheckUpsertQuestions for UpsertPassages.
func CheckUpsertPassages(ctx context.Context, tx *db.Tx, inputs []PassageInput) ([]errs.Field, error) {
	org, err := upsertHome(tx, capability.QuestionsWrite)
	if err != nil || len(inputs) == 0 {
		return nil, err
	}
	edits, err := openPassageEdits(ctx, tx, org, inputs)
	if err != nil {
		return nil, err
	}
	found, _, err := passageProblems(ctx, tx, edits, inputs)
	return found, err
}

// CheckUpsertEvaluations is CheckUpsertQuestions for UpsertEvaluations.
func CheckUpsertEvaluations(ctx context.Context, tx *db.Tx, inputs []EvaluationInput) ([]errs.Field, error) {
	org, err := upsertHome(tx, capability.EvaluationsWrite)
	if err != nil || len(inputs) == 0 {
		return nil, err
	}
	edits, err := openEvaluationEdits(ctx, tx, org, inputs)
	if err != nil {
		return nil, err
	}
	return evaluationProblems(ctx, tx, edits, inputs)
}

func upsertHome(tx *db.Tx, needs capability.Capability) (ids.ID, error) {
	err := tx.Require(needs)
	if err != nil {
		return ids.None, err
	}
	return tx.HomeOrgUnit()
}
