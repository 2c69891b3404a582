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
	return group(noun, "Raise, list and decide "+noun+"s about submissions",
		newCaseRaise(s, kind), newCaseList(s, kind), show(s, noun, get, caseFields...),
		newCaseDecision(s, kind, "uphold", "Decide for a "+noun, evidence.Uphold),
		newCaseDecision(s, kind, "reject", "Decide against a "+noun, evidence.Reject),
		newCaseDecision(s, kind, "withdraw", "Withdraw a "+noun, evidence.Withdraw))
}

func newCaseRaise(s *Shell, kind evidence.CaseKind) *cobra.Command {
	var in evidence.RaiseInput
	cmd := s.changes(&cobra.Command{
		Use:   "raise --submission ID --statement TEXT",
		Short: "Raise a " + string(kind) + " about a submission",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			keyed := struct {
				Submission ids.ID
				In         evidence.RaiseInput
			}{in.SubmissionID, in}
			return changed(s, cmd, keyed, func(tx *db.Tx) (evidence.Case, error) { return evidence.Raise(cmd.Context(), tx, kind, in) }, caseFields...)
		},
	})
	idFlag(cmd, &in.SubmissionID, "submission", "id of the submission (required)")
	required(cmd, "submission")
	cmd.Flags().StringVar(&in.Statement, "statement", "", "what it says (required)")
	idsFlag(cmd, &in.FindingIDs, "finding", "ids of the findings that it is about, separated by commas")
	return cmd
}

func newCaseList(s *Shell, kind evidence.CaseKind) *cobra.Command {
	var id ids.ID
	var filter evidence.CaseFilter
	cmd := pages(&cobra.Command{
		Use:   "list --submission ID",
		Short: "List the " + string(kind) + "s about a submission, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printedList(s, cmd, func(tx *db.Tx) (db.List[evidence.Case], error) {
				return evidence.ListCases(cmd.Context(), tx, kind, id, filter)
			}, caseColumns...)
		},
	}, &filter.Page)
	idFlag(cmd, &id, "submission", "id of the submission (required)")
	required(cmd, "submission")
	cmd.Flags().Var(&choice{&filter.State, evidence.CaseStates}, "state", strings.Join(evidence.CaseStates, ", "))
	return cmd
}

type settle func(context.Context, *db.Tx, evidence.CaseKind, evidence.DecideInput) (evidence.Case, error)

func newCaseDecision(s *Shell, kind evidence.CaseKind, verb, short string, decide settle) *cobra.Command {
	var comment string
	cmd := s.changes(&cobra.Command{
		Use:   verb + " ID --comment TEXT",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			change := func(ctx context.Context, tx *db.Tx, id ids.ID, comment string) (evidence.Case, error) {
				return decide(ctx, tx, kind, evidence.DecideInput{ID: id, Comment: comment})
			}
			return updateOne(s, cmd, string(kind), args[0], comment, change, caseFields...)
		},
	})
	cmd.Flags().StringVar(&comment, "comment", "", "why; required but for a withdrawal")
	return cmd
}

var caseColumns = columns[evidence.Case]("ID, State, RaisedAt, RaisedBy, DecidedAt")

var caseFields = append(slices.Clip(caseColumns),
	columns[evidence.Case]("DecidedBy, SubmissionID, FindingIDs = Findings, Statement, Comment")...)
