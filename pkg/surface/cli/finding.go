package cli

import (
	"github.com/spf13/cobra"
	"slices"

	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newFinding(s *Shell) *cobra.Command {
	return group("finding", "Record and read findings about submissions",
		newFindingAdd(s), newFindingList(s), show(s, "finding", evidence.GetFinding, observedFields...))
}

func newFindingAdd(s *Shell) *cobra.Command {
	var in evidence.FindingInput
	cmd := s.changes(&cobra.Command{
		Use:     "add CODE --submission ID --severity SEVERITY",
		Short:   "Record a finding about a submission, or one of its items",
		Example: "  assessctl finding add PHONE_SEEN --submission 0190b3c4-0000-7000-8000-000000000001 --severity minor",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Code = args[0]
			keyed := struct {
				Submission ids.ID
				In         evidence.FindingInput
			}{in.SubmissionID, in}
			return changed(s, cmd, keyed, func(tx *db.Tx) (evidence.Finding, error) { return evidence.Detect(cmd.Context(), tx, in) }, observedFields...)
		},
	})
	subjectFlags(cmd, &in.SubmissionID, &in.ItemID)
	cmd.Flags().StringVar(&in.Severity, "severity", "", "info, minor, major or critical (required)")
	idsFlag(cmd, &in.EvidenceIDs, "evidence", "ids of evidence that shows it, separated by commas")
	cmd.Flags().StringVar(&in.Detail, "detail", "", "free text, which goes into no report and no event")
	return cmd
}

func newFindingList(s *Shell) *cobra.Command {
	var submission ids.ID
	var filter evidence.FindingFilter
	cmd := pages(&cobra.Command{
		Use:   "list --submission ID",
		Short: "List the findings about a submission, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printedList(s, cmd, func(tx *db.Tx) (db.List[evidence.Finding], error) {
				return evidence.ListFindings(cmd.Context(), tx, submission, filter)
			}, observedColumns...)
		},
	}, &filter.Page)
	subjectFlags(cmd, &submission, &filter.ItemID)
	cmd.Flags().StringVar(&filter.Severity, "severity", "", "only of this severity")
	return cmd
}

var observedColumns = columns[evidence.Finding]("ID, Code, Severity, Scope, DetectedAt, DetectedBy*")

var observedFields = append(slices.Clip(observedColumns),
	columns[evidence.Finding]("SubmissionID, EvidenceIDs = Evidence, Detail, LedgerEventID")...)
