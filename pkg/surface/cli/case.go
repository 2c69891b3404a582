package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// newCase makes the commands of claims or of disputes.
func newCase(s *Shell, kind evidence.CaseKind) *cobra.Command {
	noun := string(kind)
	get := func(ctx context.Context, tx *db.Tx, id ids.ID) (evidence.Case, error) {
		return evidence.GetCase(ctx, tx, kind, id)
	}
	return group(noun, "Raise, list and decide "+noun+"s about submissions", newCaseRaise(s, kind), newCaseList(s, kind),
		newShow(s, "show ID", "Show one "+noun, byID(noun, get), fields(caseFields)),
		newCaseDecision(s, kind, "uphold", "Decide for a "+noun, evidence.Uphold),
		newCaseDecision(s, kind, "reject", "Decide against a "+noun, evidence.Reject),
		newCaseDecision(s, kind, "withdraw", "Withdraw a "+noun, evidence.Withdraw))
}

func newCaseRaise(s *Shell, kind evidence.CaseKind) *cobra.Command {
	var in evidence.RaiseInput
	cmd := newAct(s, "raise --submission ID --statement TEXT", "Raise a "+string(kind)+" about a submission",
		func(ctx context.Context, tx *db.Tx, _ []string) (evidence.Case, error) {
			return evidence.Raise(ctx, tx, kind, in)
		}, fields(caseFields))
	idFlag(cmd, &in.SubmissionID, "submission", "id of the submission (required)")
	required(cmd, "submission")
	cmd.Flags().StringVar(&in.Statement, "statement", "", "what it says (required)")
	idsFlag(cmd, &in.FindingIDs, "finding", "ids of the findings that it is about, separated by commas")
	return cmd
}

func newCaseList(s *Shell, kind evidence.CaseKind) *cobra.Command {
	var submission ids.ID
	var filter evidence.CaseFilter
	cmd := newList(s, "list --submission ID", "List the "+string(kind)+"s about a submission, newest first", &filter.Page,
		func(ctx context.Context, tx *db.Tx, _ []string) (db.List[evidence.Case], error) {
			return evidence.ListCases(ctx, tx, kind, submission, filter)
		}, caseColumns)
	idFlag(cmd, &submission, "submission", "id of the submission (required)")
	required(cmd, "submission")
	cmd.Flags().Var(&choice{&filter.State, evidence.CaseStates}, "state", strings.Join(evidence.CaseStates, ", "))
	return cmd
}

func newCaseDecision(s *Shell, kind evidence.CaseKind, verb, short string,
	decide func(context.Context, *db.Tx, evidence.CaseKind, evidence.DecideInput) (evidence.Case, error)) *cobra.Command {
	var in evidence.DecideInput
	cmd := newAct(s, verb+" ID --comment TEXT", short, byID(string(kind), func(ctx context.Context, tx *db.Tx, id ids.ID) (evidence.Case, error) {
		in.ID = id
		return decide(ctx, tx, kind, in)
	}), fields(caseFields))
	cmd.Flags().StringVar(&in.Comment, "comment", "", "why; required but for a withdrawal")
	return cmd
}

var caseColumns = columns[evidence.Case]("ID, State, RaisedAt, RaisedBy, DecidedAt")

var caseFields = append(slices.Clip(caseColumns),
	columns[evidence.Case]("DecidedBy, SubmissionID, FindingIDs = Findings, Statement, Comment")...)
