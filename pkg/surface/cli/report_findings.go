package cli

import (
	"context"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/reporting"
)

func newReportFindings(s *Shell) *cobra.Command {
	var page db.Page
	cmd := newPaged(s, (*db.Store).Report, "findings SUBMISSION", "List the findings about a submission, as the reports know them", &page,
		byID("submission", func(ctx context.Context, tx *db.Tx, id ids.ID) (reporting.FindingList, error) {
			return reporting.ListFindings(ctx, tx, id, page)
		}), func(l *reporting.FindingList) paged[reporting.Finding] { return pagedOf(&l.List) }, func(s *Shell, list reporting.FindingList) error {
			err := PrintPage(s, list, list.Items, reportedColumns...)
			return s.endList(err, list.AsOf, list.ProjectionLagMs, list.Page, list.Limit, len(list.Items), list.Total)
		})
	cmd.Long = `List the findings about a submission, newest first, as claims and disputes link to them.
They are those of the reporting tables: one that was just recorded may still be on its way.
assessctl finding list has their details.`
	return cmd
}

var reportedColumns = columns[reporting.Finding]("FindingID, Code, Severity, SubmissionItemID = Item*, DetectedAt, LedgerEventID*")
