package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/report/reporting"
)

func newReportFindings(s *Shell) *cobra.Command {
	var page db.Page
	return pages(&cobra.Command{
		Use:   "findings SUBMISSION",
		Short: "List the findings about a submission, as the reports know them",
		Long: `List the findings about a submission, newest first, as claims and disputes link to them.
They are those of the reporting tables: one that was just recorded may still be on its way.
assessctl finding list has their details.`,
		Example: "  assessctl report findings 0199a0c2-5f3e-7000-8000-000000000000 --tenant northwind --org north",
		RunE: func(cmd *cobra.Command, args []string) error {
			submission, err := recordID("submission", args[0])
			if err != nil {
				return err
			}
			list, err := report(cmd.Context(), s, func(tx *db.Tx) (reporting.FindingList, error) {
				return reporting.ListFindings(cmd.Context(), tx, submission, page)
			})
			if err != nil {
				return unknown("submission", args[0], err)
			}
			err = PrintPage(s, list, list.Items, reportedColumns...)
			return s.endList(err, list.AsOf, list.ProjectionLagMs, list.Page, list.Limit, len(list.Items), list.Total)
		},
	}, &page)
}

var reportedColumns = columns[reporting.Finding]("FindingID, Code, Severity, SubmissionItemID = Item*, DetectedAt, LedgerEventID*")
