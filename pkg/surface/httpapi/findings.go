package httpapi

import (
	"context"

	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/reporting"
)

type listFindingsInput struct {
	ByID
	ItemQuery
	Severity string `query:"severity" enum:"info,minor,major,critical"`
	PageQuery
}

func listFindings(ctx context.Context, tx *db.Tx, in *listFindingsInput) (db.List[evidence.Finding], error) {
	return evidence.ListFindings(ctx, tx, in.ID, evidence.FindingFilter{ItemID: in.item(), Severity: in.Severity, Page: in.page()})
}

type detectFindingInput struct {
	ByID
	Body evidence.FindingInput
}

func detectFinding(ctx context.Context, tx *db.Tx, in *detectFindingInput) (evidence.Finding, error) {
	in.Body.SubmissionID = in.ID
	return evidence.Detect(ctx, tx, in.Body)
}

func getFinding(ctx context.Context, tx *db.Tx, in *ByID) (evidence.Finding, error) {
	return evidence.GetFinding(ctx, tx, in.ID)
}

type listCasesInput struct {
	ByID
	State string `query:"state" enum:"open,upheld,rejected,withdrawn"`
	PageQuery
}

func listCases(kind evidence.CaseKind) operation[listCasesInput, db.List[evidence.Case]] {
	return func(ctx context.Context, tx *db.Tx, in *listCasesInput) (db.List[evidence.Case], error) {
		return evidence.ListCases(ctx, tx, kind, in.ID, evidence.CaseFilter{State: in.State, Page: in.page()})
	}
}

type raiseCaseInput struct {
	ByID
	Body evidence.RaiseInput
}

func raiseCase(kind evidence.CaseKind) operation[raiseCaseInput, evidence.Case] {
	return func(ctx context.Context, tx *db.Tx, in *raiseCaseInput) (evidence.Case, error) {
		in.Body.SubmissionID = in.ID
		return evidence.Raise(ctx, tx, kind, in.Body)
	}
}

func getCase(kind evidence.CaseKind) operation[ByID, evidence.Case] {
	return func(ctx context.Context, tx *db.Tx, in *ByID) (evidence.Case, error) {
		return evidence.GetCase(ctx, tx, kind, in.ID)
	}
}

type decideCaseInput struct {
	ByID
	Body evidence.DecideInput
}

// decideCase makes the handler of one kind of decision about claims or disputes.
func decideCase(kind evidence.CaseKind, decide func(context.Context, *db.Tx, evidence.CaseKind, evidence.DecideInput) (evidence.Case, error)) operation[decideCaseInput, evidence.Case] {
	return func(ctx context.Context, tx *db.Tx, in *decideCaseInput) (evidence.Case, error) {
		in.Body.ID = in.ID
		return decide(ctx, tx, kind, in.Body)
	}
}

type reportedFindingsInput struct {
	SubmissionID ids.ID `query:"submissionId" required:"true"`
	PageQuery
}

func listReportedFindings(ctx context.Context, tx *db.Tx, in *reportedFindingsInput) (reporting.FindingList, error) {
	return reporting.ListFindings(ctx, tx, in.SubmissionID, in.page())
}
