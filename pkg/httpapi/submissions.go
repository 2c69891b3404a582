package httpapi

import (
	"context"

	"assess/pkg/db"
	"assess/pkg/submission"
)

// SubmissionsQuery filters a list of submissions.
type SubmissionsQuery struct {
	Status  string `query:"status" enum:"completed,voided"`
	Outcome string `query:"outcome" enum:"pass,fail,incomplete"`
	PageQuery
}

func (q SubmissionsQuery) filter() submission.Filter {
	return submission.Filter{Status: q.Status, Outcome: q.Outcome, Page: q.page()}
}

type listSubmissionsInput struct {
	ByID
	SubmissionsQuery
}

func listEvaluationSubmissions(ctx context.Context, tx *db.Tx, in *listSubmissionsInput) (db.List[submission.Summary], error) {
	return submission.ListByEvaluation(ctx, tx, in.ID, in.filter())
}

func listUserSubmissions(ctx context.Context, tx *db.Tx, in *listSubmissionsInput) (db.List[submission.Summary], error) {
	return submission.ListByUser(ctx, tx, in.ID, in.filter())
}

type getSubmissionInput struct {
	ByID
	View string `query:"view" enum:"candidate" doc:"candidate shows what feedback_mode allows; without it a reader of submissions sees everything"`
}

func getSubmission(ctx context.Context, tx *db.Tx, in *getSubmissionInput) (submission.Submission, error) {
	return submission.Get(ctx, tx, submission.GetInput{ID: in.ID, View: in.View})
}

func hashSubmission(ctx context.Context, tx *db.Tx, in *ByID) (submission.StateHash, error) {
	return submission.Hash(ctx, tx, in.ID)
}
