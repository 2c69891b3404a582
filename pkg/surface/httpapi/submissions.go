package httpapi

import (
	"context"
	"time"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/standing"
)

// SubmissionsQuery filters a list of submissions.
type SubmissionsQuery struct {
	Status         string `query:"status" enum:"completed,voided"`
	Outcome        string `query:"outcome" enum:"pass,fail,incomplete"`
	ApprovalStatus string `query:"approval_status" enum:"not_required,pending_review,approved,rejected,changes_requested"`
	RunQuery
	AssignmentID ids.ID    `query:"assignment_id"`
	Include      string    `query:"include" enum:"readiness" doc:"readiness adds koeStatus and proofReadiness to each row"`
	From         time.Time `query:"from" doc:"Only submissions completed at or after this moment"`
	To           time.Time `query:"to" doc:"Only submissions completed before this moment"`
	PageQuery
}

func (q SubmissionsQuery) filter(awaits string) submission.Filter {
	return submission.Filter{Status: q.Status, Outcome: q.Outcome, ApprovalStatus: q.ApprovalStatus, RunLabel: q.run(),
		Awaits: awaits, AssignmentID: q.AssignmentID, From: q.From, To: q.To, Page: q.page()}
}

type listSubmissionsInput struct {
	ByID
	Awaits string `query:"awaits" enum:"marking,review" doc:"Only completed submissions that wait for a person, the one that has waited longest first: for an item to be scored, or for a review"`
	SubmissionsQuery
}

type listWaitingInput struct {
	Awaits string `query:"awaits" required:"true" enum:"marking,review" doc:"What completed submissions wait for, the one that has waited longest first: for an item to be scored, or for a review"`
	SubmissionsQuery
}

func listWaitingSubmissions(ctx context.Context, tx *db.Tx, in *listWaitingInput) (db.List[standing.Summary], error) {
	return standing.List(ctx, tx, in.Include, func(ctx context.Context, tx *db.Tx) (db.List[submission.Summary], error) {
		return submission.ListWaiting(ctx, tx, in.filter(in.Awaits))
	})
}

// listSubmissionsOf lists those of an evaluation or of a user.
func listSubmissionsOf(list func(context.Context, *db.Tx, ids.ID, submission.Filter) (db.List[submission.Summary], error)) func(context.Context, *db.Tx, *listSubmissionsInput) (db.List[standing.Summary], error) {
	return func(ctx context.Context, tx *db.Tx, in *listSubmissionsInput) (db.List[standing.Summary], error) {
		return standing.List(ctx, tx, in.Include, func(ctx context.Context, tx *db.Tx) (db.List[submission.Summary], error) {
			return list(ctx, tx, in.ID, in.filter(in.Awaits))
		})
	}
}

func listOwnSubmissions(ctx context.Context, tx *db.Tx, in *PageQuery) (db.List[submission.OwnSummary], error) {
	return submission.ListOwn(ctx, tx, in.page())
}

type getSubmissionInput struct {
	ByID
	LangQuery
	View string `query:"view" enum:"candidate" doc:"candidate shows what feedback_mode allows; without it a reader of submissions sees everything"`
}

func getSubmission(ctx context.Context, tx *db.Tx, in *getSubmissionInput) (standing.Submission, error) {
	return standing.Get(ctx, tx, submission.GetInput{ID: in.ID, View: in.View, Lang: in.Lang})
}

func hashSubmission(ctx context.Context, tx *db.Tx, in *ByID) (submission.StateHash, error) {
	return submission.Hash(ctx, tx, in.ID)
}
