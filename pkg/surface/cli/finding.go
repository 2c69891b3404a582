package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newFinding(s *Session) *cobra.Command {
	return group("finding", "Record and read findings about submissions",
		newFindingAdd(s), newFindingList(s), show(s, "finding", evidence.GetFinding, observedFields...))
}

func newFindingAdd(s *Session) *cobra.Command {
	var of subjectFlags
	var in evidence.FindingInput
	var shownBy string
	cmd := s.changes(&cobra.Command{
		Use:     "add CODE --submission ID --severity SEVERITY",
		Short:   "Record a finding about a submission, or one of its items",
		Example: "  assessctl finding add PHONE_SEEN --submission 0190b3c4-0000-7000-8000-000000000001 --severity minor",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			in.Code = args[0]
			in.SubmissionID, in.ItemID, err = of.read()
			if err != nil {
				return err
			}
			in.EvidenceIDs, err = recordIDs("evidence", shownBy)
			if err != nil {
				return err
			}
			keyed := struct {
				Submission ids.ID
				In         evidence.FindingInput
			}{in.SubmissionID, in}
			made, err := write(s, cmd, keyed, func(tx *db.Tx) (evidence.Finding, error) { return evidence.Detect(cmd.Context(), tx, in) })
			if err != nil {
				return err
			}
			return PrintOne(s, made, observedFields...)
		},
	})
	of.bind(cmd)
	cmd.Flags().StringVar(&in.Severity, "severity", "", "info, minor, major or critical (required)")
	cmd.Flags().StringVar(&shownBy, "evidence", "", "ids of evidence that shows it, separated by commas")
	cmd.Flags().StringVar(&in.Detail, "detail", "", "free text, which goes into no report and no event")
	return cmd
}

// recordIDs reads ids that are separated by commas.
func recordIDs(what, text string) ([]ids.ID, error) {
	var all []ids.ID
	for _, word := range fields(text) {
		id, err := recordID(what, word)
		if err != nil {
			return nil, err
		}
		all = append(all, id)
	}
	return all, nil
}

func newFindingList(s *Session) *cobra.Command {
	var of subjectFlags
	var filter evidence.FindingFilter
	cmd := pages(&cobra.Command{
		Use:   "list --submission ID",
		Short: "List the findings about a submission, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			submission, item, err := of.read()
			if err != nil {
				return err
			}
			filter.ItemID = item
			list, err := read(cmd.Context(), s, func(tx *db.Tx) (db.List[evidence.Finding], error) {
				return evidence.ListFindings(cmd.Context(), tx, submission, filter)
			})
			if err != nil {
				return err
			}
			return printList(s, list, observedColumns...)
		},
	}, &filter.Page)
	of.bind(cmd)
	cmd.Flags().StringVar(&filter.Severity, "severity", "", "only of this severity")
	return cmd
}

var observedColumns = columns[evidence.Finding]("ID, Code, Severity, Scope, DetectedAt, DetectedBy*")

var observedFields = append(observedColumns[:len(observedColumns):len(observedColumns)],
	Column[evidence.Finding]{Header: "Submission", Cell: func(f evidence.Finding) string { return f.SubmissionID.String() }},
	Column[evidence.Finding]{Header: "Evidence", Cell: func(f evidence.Finding) string { return words(f.EvidenceIDs, ids.ID.String) }},
	Column[evidence.Finding]{Header: "Detail", Cell: func(f evidence.Finding) string { return f.Detail }},
	Column[evidence.Finding]{Header: "Ledger event", Cell: func(f evidence.Finding) string { return f.LedgerEventID.String() }},
)
