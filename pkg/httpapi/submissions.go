package httpapi

import (
	"context"

	"assess/pkg/db"
	"assess/pkg/submission"
)

type submissionsQuery struct {
	Status  string `query:"status" enum:"completed,voided"`
	Outcome string `query:"outcome" enum:"pass,fail,incomplete"`
	pageQuery
}

func (q submissionsQuery) filter() submission.Filter {
	return submission.Filter{Status: q.Status, Outcome: q.Outcome, Page: q.page()}
}

type listSubmissionsInput struct {
	byID
	submissionsQuery
}

func listEvaluationSubmissions(ctx context.Context, tx *db.Tx, in *listSubmissionsInput) (db.List[submission.Summary], error) {
	return submission.ListByEvaluation(ctx, tx, in.ID, in.filter())
}

func listUserSubmissions(ctx context.Context, tx *db.Tx, in *listSubmissionsInput) (db.List[submission.Summary], error) {
	return submission.ListByUser(ctx, tx, in.ID, in.filter())
}

type getSubmissionInput struct {
	byID
	View string `query:"view" enum:"full,candidate" doc:"candidate shows what the evaluation's feedback_mode allows; default full where the caller may see it"`
}

func getSubmission(ctx context.Context, tx *db.Tx, in *getSubmissionInput) (submission.Submission, error) {
	return submission.Get(ctx, tx, in.ID, in.View)
}
