package cli

import (
	"context"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/report/reporting"
)

func newReportEvaluations(s *Shell) *cobra.Command {
	var filter reporting.EvaluationFilter
	cmd := newPaged(s, (*db.Store).Report, "evaluations", "List the evaluation versions that there are reports about, newest first", &filter.Page,
		func(ctx context.Context, tx *db.Tx, _ []string) (reporting.ReportedEvaluations, error) {
			return reporting.ListEvaluations(ctx, tx, filter)
		}, func(l *reporting.ReportedEvaluations) paged[reporting.ReportedEvaluation] { return pagedOf(&l.List) },
		func(s *Shell, list reporting.ReportedEvaluations) error {
			err := PrintPage(s, list, list.Items, reportedEvaluationColumns...)
			return s.endList(err, list.AsOf, list.ProjectionLagMs, list.Page, list.Limit, len(list.Items), list.Total)
		})
	cmd.Long = "List the evaluation versions with attempts, the newest version first. The other reports take the id."
	cmd.Flags().StringVar(&filter.Search, "search", "", "a part of the title")
	return cmd
}

var reportedEvaluationColumns = columns[reporting.ReportedEvaluation]("Title, VersionNumber = Version, Started, Completed, LastDay = Last day, EvaluationVersionID")
