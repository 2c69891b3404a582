package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// newCase makes the commands of claims or of disputes.
func newCase(s *Session, kind evidence.CaseKind) *cobra.Command {
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

func newCaseRaise(s *Session, kind evidence.CaseKind) *cobra.Command {
	var submission, findings string
	var in evidence.RaiseInput
	cmd := s.changes(&cobra.Command{
		Use:   "raise --submission ID --statement TEXT",
		Short: "Raise a " + string(kind) + " about a submission",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			in.SubmissionID, err = submissionID(submission)
			if err != nil {
				return err
			}
			in.FindingIDs, err = recordIDs("finding", findings)
			if err != nil {
				return err
			}
			keyed := struct {
				Submission ids.ID
				In         evidence.RaiseInput
			}{in.SubmissionID, in}
			made, err := write(s, cmd, keyed, func(tx *db.Tx) (evidence.Case, error) { return evidence.Raise(cmd.Context(), tx, kind, in) })
			if err != nil {
				return err
			}
			return PrintOne(s, made, caseFields...)
		},
	})
	cmd.Flags().StringVar(&submission, "submission", "", "id of the submission (required)")
	cmd.Flags().StringVar(&in.Statement, "statement", "", "what it says (required)")
	cmd.Flags().StringVar(&findings, "finding", "", "ids of the findings that it is about, separated by commas")
	return cmd
}

func newCaseList(s *Session, kind evidence.CaseKind) *cobra.Command {
	var submission string
	var filter evidence.CaseFilter
	cmd := pages(&cobra.Command{
		Use:   "list --submission ID",
		Short: "List the " + string(kind) + "s about a submission, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			id, err := submissionID(submission)
			if err != nil {
				return err
			}
			list, err := read(cmd.Context(), s, func(tx *db.Tx) (db.List[evidence.Case], error) {
				return evidence.ListCases(cmd.Context(), tx, kind, id, filter)
			})
			if err != nil {
				return err
			}
			return printList(s, list, caseColumns...)
		},
	}, &filter.Page)
	cmd.Flags().StringVar(&submission, "submission", "", "id of the submission (required)")
	cmd.Flags().Var(&choice{&filter.State, evidence.CaseStates}, "state", strings.Join(evidence.CaseStates, ", "))
	return cmd
}

type settle func(context.Context, *db.Tx, evidence.CaseKind, evidence.DecideInput) (evidence.Case, error)

func newCaseDecision(s *Session, kind evidence.CaseKind, verb, short string, decide settle) *cobra.Command {
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

var caseFields = append(caseColumns[:len(caseColumns):len(caseColumns)],
	Column[evidence.Case]{Header: "Decided by", Cell: func(c evidence.Case) string { return c.DecidedBy }},
	Column[evidence.Case]{Header: "Submission", Cell: func(c evidence.Case) string { return c.SubmissionID.String() }},
	Column[evidence.Case]{Header: "Findings", Cell: func(c evidence.Case) string { return words(c.FindingIDs, ids.ID.String) }},
	Column[evidence.Case]{Header: "Statement", Cell: func(c evidence.Case) string { return c.Statement }},
	Column[evidence.Case]{Header: "Comment", Cell: func(c evidence.Case) string { return c.Comment }},
)
