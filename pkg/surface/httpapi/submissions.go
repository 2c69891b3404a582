package httpapi

import (
	"context"
	"io"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/sheet"
	"assess/pkg/trust/standing"
)

// SubmissionsQuery filters submissions, in lists and in the export.
type SubmissionsQuery struct {
	Status         string `query:"status" enum:"completed,voided"`
	Outcome        string `query:"outcome" enum:"pass,fail,incomplete"`
	ApprovalStatus string `query:"approval_status" enum:"not_required,pending_review,approved,rejected,changes_requested"`
	RunQuery
	EvaluationVersionID ids.ID    `query:"evaluationVersionId" doc:"Only submissions of this version"`
	AssignmentID        ids.ID    `query:"assignment_id"`
	GroupID             ids.ID    `query:"groupId" doc:"Only submissions at assignments to this group. Membership of today plays no part"`
	From                time.Time `query:"from" doc:"Only submissions completed at or after this moment"`
	To                  time.Time `query:"to" doc:"Only submissions completed before this moment"`
}

func (q SubmissionsQuery) filter() submission.Filter {
	return submission.Filter{Status: q.Status, Outcome: q.Outcome, ApprovalStatus: q.ApprovalStatus, RunLabel: q.run(),
		EvaluationVersionID: q.EvaluationVersionID, AssignmentID: q.AssignmentID, GroupID: q.GroupID, From: q.From, To: q.To}
}

// SubmissionListQuery has the parameters of all lists of submissions.
type SubmissionListQuery struct {
	SubmissionsQuery
	Include string `query:"include" enum:"readiness" doc:"readiness adds koeStatus and proofReadiness to each row"`
	PageQuery
}

func (q SubmissionListQuery) filter(awaits string) submission.Filter {
	f := q.SubmissionsQuery.filter()
	f.Awaits, f.Page = awaits, q.page()
	return f
}

type listSubmissionsInput struct {
	ByID
	Awaits string `query:"awaits" enum:"marking,review" doc:"Only completed submissions that wait for a person, the one that has waited longest first: for an item to be scored, or for a review"`
	SubmissionListQuery
}

type listWaitingInput struct {
	Awaits string `query:"awaits" required:"true" enum:"marking,review" doc:"What completed submissions wait for, the one that has waited longest first: for an item to be scored, or for a review"`
	SubmissionListQuery
}

func listWaitingSubmissions(ctx context.Context, tx *db.Tx, in *listWaitingInput) (db.List[standing.Summary], error) {
	return standing.List(ctx, tx, in.Include, func(ctx context.Context, tx *db.Tx) (db.List[submission.Summary], error) {
		return submission.ListWaiting(ctx, tx, in.filter(in.Awaits))
	})
}

// listSubmissionsOf lists the submissions of an evaluation or of a user.
func listSubmissionsOf(list func(context.Context, *db.Tx, ids.ID, submission.Filter) (db.List[submission.Summary], error)) func(context.Context, *db.Tx, *listSubmissionsInput) (db.List[standing.Summary], error) {
	return func(ctx context.Context, tx *db.Tx, in *listSubmissionsInput) (db.List[standing.Summary], error) {
		return standing.List(ctx, tx, in.Include, func(ctx context.Context, tx *db.Tx) (db.List[submission.Summary], error) {
			return list(ctx, tx, in.ID, in.filter(in.Awaits))
		})
	}
}

type exportResultsInput struct {
	ByID
	Format string `query:"format" enum:"csv,xlsx" default:"csv" doc:"The kind of file"`
	SubmissionsQuery
}

func (in *exportResultsInput) results() submission.ResultsInput {
	return submission.ResultsInput{EvaluationID: in.ID, Filter: in.filter(), Format: in.Format}
}

const resultsDoc = "The submissions, newest first, a line each, with name and e-mail address. Who has a restriction of processing is in it without both"

var (
	resultsCSV  = fileKind{".csv", "text/csv; charset=utf-8", resultsDoc}
	resultsXLSX = fileKind{".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", resultsDoc}
)

func (in *exportResultsInput) kind() fileKind {
	if in.Format == sheet.XLSX {
		return resultsXLSX
	}
	return resultsCSV
}

func takeResults(ctx context.Context, tx *db.Tx, in *exportResultsInput) error {
	return submission.TakeResults(ctx, tx, in.results())
}

func exportResults(ctx context.Context, tx *db.Tx, in *exportResultsInput, to io.Writer) error {
	_, err := submission.ExportResults(ctx, tx, in.results(), to)
	return err
}

func listOwnSubmissions(ctx context.Context, tx *db.Tx, in *PageQuery) (db.List[submission.OwnSummary], error) {
	return submission.ListOwn(ctx, tx, in.page())
}

type getSubmissionInput struct {
	ByID
	authoring.LangQuery
	View string `query:"view" enum:"candidate" doc:"candidate shows what feedback_mode allows; without it a reader of submissions sees everything"`
}

func getSubmission(ctx context.Context, tx *db.Tx, in *getSubmissionInput) (standing.Submission, error) {
	return standing.Get(ctx, tx, submission.GetInput{ID: in.ID, View: in.View, Lang: in.Lang})
}
