package httpapi

import (
	"context"

	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
)

func questionUsage(ctx context.Context, tx *db.Tx, in *ByID) (inventory.QuestionUsage, error) {
	return inventory.UsageOfQuestion(ctx, tx, in.ID)
}

func archiveQuestion(ctx context.Context, tx *db.Tx, in *ByID) (inventory.Lifecycle, error) {
	return inventory.Archive(ctx, tx, inventory.Questions, in.ID)
}

func restoreQuestion(ctx context.Context, tx *db.Tx, in *ByID) (inventory.Lifecycle, error) {
	return inventory.Restore(ctx, tx, inventory.Questions, in.ID)
}

func deleteQuestion(ctx context.Context, tx *db.Tx, in *ByID) (none, error) {
	return none{}, inventory.Delete(ctx, tx, inventory.Questions, in.ID)
}

func evaluationUsage(ctx context.Context, tx *db.Tx, in *ByID) (inventory.EvaluationUsage, error) {
	return inventory.UsageOfEvaluation(ctx, tx, in.ID)
}

func archiveEvaluation(ctx context.Context, tx *db.Tx, in *ByID) (inventory.Lifecycle, error) {
	return inventory.Archive(ctx, tx, inventory.Evaluations, in.ID)
}

func restoreEvaluation(ctx context.Context, tx *db.Tx, in *ByID) (inventory.Lifecycle, error) {
	return inventory.Restore(ctx, tx, inventory.Evaluations, in.ID)
}

func deleteEvaluation(ctx context.Context, tx *db.Tx, in *ByID) (none, error) {
	return none{}, inventory.Delete(ctx, tx, inventory.Evaluations, in.ID)
}

type bulkInput struct{ Body inventory.BulkInput }

func bulkQuestions(ctx context.Context, tx *db.Tx, in *bulkInput) (inventory.BulkOutput, error) {
	return inventory.Bulk(ctx, tx, inventory.Questions, in.Body)
}

func bulkEvaluations(ctx context.Context, tx *db.Tx, in *bulkInput) (inventory.BulkOutput, error) {
	return inventory.Bulk(ctx, tx, inventory.Evaluations, in.Body)
}
