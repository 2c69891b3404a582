package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newFinding(s *Shell) *cobra.Command {
	return group("finding", "Record and read findings about submissions", newFindingAdd(s), newFindingList(s),
		newShow(s, "show ID", "Show one finding", byID("finding", evidence.GetFinding), fields(observedFields)))
}

func newFindingAdd(s *Shell) *cobra.Command {
	var in evidence.FindingInput
	cmd := newAct(s, "add CODE --submission ID --severity SEVERITY", "Record a finding about a submission, or one of its items",
		with(&in, evidence.Detect, &in.Code), fields(observedFields))
	subjectFlags(cmd, &in.SubmissionID, &in.ItemID)
	cmd.Flags().StringVar(&in.Severity, "severity", "", "info, minor, major or critical (required)")
	idsFlag(cmd, &in.EvidenceIDs, "evidence", "ids of evidence that shows it, separated by commas")
	cmd.Flags().StringVar(&in.Detail, "detail", "", "free text, which goes into no report and no event")
	return cmd
}

func newFindingList(s *Shell) *cobra.Command {
	var submission ids.ID
	var filter evidence.FindingFilter
	cmd := newList(s, "list --submission ID", "List the findings about a submission, newest first", &filter.Page,
		func(ctx context.Context, tx *db.Tx, _ []string) (db.List[evidence.Finding], error) {
			return evidence.ListFindings(ctx, tx, submission, filter)
		}, observedColumns)
	subjectFlags(cmd, &submission, &filter.ItemID)
	cmd.Flags().StringVar(&filter.Severity, "severity", "", "only of this severity")
	return cmd
}

var observedColumns = columns[evidence.Finding]("ID, Code, Severity, Scope, DetectedAt, DetectedBy*")

var observedFields = append(slices.Clip(observedColumns),
	columns[evidence.Finding]("SubmissionID, EvidenceIDs = Evidence, Detail, LedgerEventID")...)
