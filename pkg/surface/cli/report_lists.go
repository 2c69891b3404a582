package cli

import (
	"context"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/report/page"
	"assess/pkg/report/reporting"
)

const includeHelp = "further blocks: scores, timing, distributions, tags, sections"

func newReportGroups(s *Shell) *cobra.Command {
	return newReportList(s, &cobra.Command{
		Use:   "groups --evaluation-version ID",
		Short: "Sum up the attempts of each group that the evaluation is assigned to",
	}, reporting.SummaryGroups, func(r *reporting.GroupSummaries) paged[reporting.GroupSummary] { return pagedOf(&r.List) }, reporting.ExportGroups, page.Groups, func(r reporting.GroupSummaries) error {
		err := printRows(s, r, r.Items, "Group", func(g reporting.GroupSummary) (string, reporting.SummaryRow) {
			if g.Label == nil {
				return g.GroupID.String(), g.SummaryRow
			}
			return *g.Label, g.SummaryRow
		})
		return s.endList(err, r.Freshness.AsOf, r.ProjectionLagMs, r.Page, r.Limit, len(r.Items), r.Total)
	})
}

func newReportCohorts(s *Shell) *cobra.Command {
	return newReportList(s, &cobra.Command{
		Use:   "cohorts --evaluation-version ID",
		Short: "Sum up the attempts of each run",
	}, reporting.SummaryCohorts, func(r *reporting.CohortSummaries) paged[reporting.CohortSummary] { return pagedOf(&r.List) }, reporting.ExportCohorts, page.Cohorts, func(r reporting.CohortSummaries) error {
		err := printRows(s, r, r.Items, "Run", func(c reporting.CohortSummary) (string, reporting.SummaryRow) { return c.Label, c.SummaryRow })
		return s.endList(err, r.Freshness.AsOf, r.ProjectionLagMs, r.Page, r.Limit, len(r.Items), r.Total)
	})
}

// newReportList makes the command of a list of summaries.
func newReportList[T, R any](s *Shell, cmd *cobra.Command, list func(context.Context, *db.Tx, reporting.SummaryListInput) (T, error), of func(*T) paged[R],
	export func(context.Context, *db.Tx, reporting.SummaryInput, io.Writer) error, drawn func(T) page.Page, show func(T) error) *cobra.Command {
	var in reporting.SummaryListInput
	var all bool
	cmd.Long = cmd.Short + ". " + csvHelp + "\nIt has every row and column, so it takes no --include, --page, --limit and --all."
	newSummaryReport(s, cmd, func(ctx context.Context, tx *db.Tx, chosen reporting.SummaryInput) (T, error) {
		in.SummaryInput = chosen
		return readPages(all, &in.Page, func() (T, error) { return list(ctx, tx, in) }, of)
	}, export, includeHelp, drawn, show)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if s.Format == FormatCSV && chooses(cmd, "include", "page", "limit", "all") {
			return Usage("-o csv has every row and column: leave out --include, --page, --limit and --all")
		}
		return run(cmd, args)
	}
	pages(cmd, &in.Page)
	allFlag(cmd, &all)
	return cmd
}

// printRows prints a list; for people, the requested blocks follow the table.
func printRows[T any](s *Shell, page any, rows []T, what string, of func(T) (string, reporting.SummaryRow)) error {
	err := PrintPage(s, page, rows, rowColumns(s.Screen, what, of)...)
	if err != nil || s.Format != FormatTable {
		return err
	}
	for _, one := range rows {
		name, row := of(one)
		err = drawBlocks(s.Screen, name, row)
		if err != nil {
			return err
		}
	}
	return nil
}

func rowColumns[T any](screen *Screen, what string, of func(T) (string, reporting.SummaryRow)) []Column[T] {
	row := func(t T) reporting.SummaryRow {
		_, r := of(t)
		return r
	}
	return []Column[T]{
		{Header: what, Cell: func(t T) string { name, _ := of(t); return name }},
		{Header: "Pass rate", Cell: func(t T) string { return screen.bar(row(t).Hero.PassRate) }},
		{Header: "Mean score", Cell: func(t T) string { return percent(row(t).Hero.MeanScorePct) }, Align: Right},
		{Header: "Started", Cell: func(t T) string { return strconv.FormatInt(row(t).Attempts.Started, 10) }, Align: Right},
		{Header: "Completed", Cell: func(t T) string { return strconv.FormatInt(row(t).Attempts.Completed, 10) }, Align: Right},
		{Header: "Attention", Cell: func(t T) string { return row(t).Attention.Level },
			Colour: func(t T) Colour { return levelColour(row(t).Attention.Level) }},
	}
}

// endList says below a table how fresh it is and how it goes on.
func (s *Shell) endList(err error, asOfTime time.Time, lagMs int64, page, limit, shown, total int) error {
	if err != nil || s.Format != FormatTable {
		return err
	}
	s.Note("%s", asOf(asOfTime, lagMs))
	s.notePage(page, limit, shown, total)
	return nil
}
