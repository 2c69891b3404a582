package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"assess/pkg/exam/evidence"
)

func newFinding(s *Shell) *cobra.Command {
	return group("finding", "Record and read findings about submissions", s.operations("finding")...)
}

var observedColumns = columns[evidence.Finding]("ID, Code, Severity, Scope, DetectedAt, DetectedBy*")

var observedFields = append(slices.Clip(observedColumns),
	columns[evidence.Finding]("SubmissionID, EvidenceIDs = Evidence, Detail, LedgerEventID")...)
