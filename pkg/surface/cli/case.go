package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"assess/pkg/exam/evidence"
)

// newCase makes the commands of claims or of disputes.
func newCase(s *Shell, kind evidence.CaseKind) *cobra.Command {
	noun := string(kind)
	return group(noun, "Raise, list and decide "+noun+"s about submissions", s.operations(noun)...)
}

var caseColumns = columns[evidence.Case]("ID, State, RaisedAt, RaisedBy, DecidedAt")

var caseFields = append(slices.Clip(caseColumns),
	columns[evidence.Case]("DecidedBy, SubmissionID, FindingIDs = Findings, Statement, Comment")...)
