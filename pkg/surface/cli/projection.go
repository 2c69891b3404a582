package cli

import (
	"context"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/plural"
	"assess/pkg/report/projection"
)

func newProjection(s *Shell) *cobra.Command {
	return group("projection", "Look after the reporting tables",
		newProjectionStatus(s), newProjectionRun(s), newProjectionJobs(s), newProjectionVerify(s), newProjectionRebuild(s))
}

func newProjectionStatus(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Say how far the reporting tables are behind",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.tenantWide()
			return printed(s, cmd, func(tx *db.Tx) (projection.StatusResult, error) {
				return projection.Status(cmd.Context(), tx)
			}, statusColumns...)
		},
	}
}

func newProjectionVerify(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Compare the reporting tables with what a rebuild from nothing gives",
		Long: `Compare the reporting tables of the tenant with what a rebuild from nothing gives, and
change nothing. Exit code 1 says that they differ.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.verify(cmd.Context()) },
	}
}

func (s *Shell) verify(ctx context.Context) error {
	s.tenantWide()
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return err
	}
	found, err := projection.Verify(ctx, store, scope.Tenant)
	if err != nil {
		return err
	}
	err = PrintPage(s, found, found.Tables, comparisonColumns...)
	if err == nil && found.Differences > 0 {
		return Unsound("the reporting tables differ from a rebuild in %s", plural.Of(found.Differences, "row"))
	}
	return err
}

const rebuildLong = `Empty the reporting tables of the tenant and write them anew, in one transaction: reports
show the old figures until it commits, and an interruption leaves everything as it was.
--dry-run compares and changes nothing, as verify does.`

func newProjectionRebuild(s *Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rebuild",
		Short: "Write the reporting tables anew from nothing",
		Long:  rebuildLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.dryRun {
				return s.verify(cmd.Context())
			}
			s.tenantWide()
			err := s.confirm(cmd.Context(), "Rebuild the reporting tables of %s?", s.Tenant)
			if err != nil {
				return err
			}
			return s.rebuild(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&s.dryRun, "dry-run", false, "compare, and change nothing")
	return cmd
}

func (s *Shell) rebuild(ctx context.Context) error {
	s.tenantWide()
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return err
	}
	progress := s.Progress("Rebuilding")
	err = projection.Rebuild(ctx, store, scope.Tenant, func(done, total int) { progress.Report(int64(done), int64(total)) })
	progress.Done()
	if err != nil {
		return err
	}
	status, err := read(ctx, s, func(tx *db.Tx) (projection.StatusResult, error) { return projection.Status(ctx, tx) })
	if err != nil {
		return err
	}
	return PrintOne(s, status, statusColumns...)
}

var statusColumns = columns("Waiting, Deferred, Lag, Submissions, QuestionVersions, StalePercentiles",
	Column[projection.StatusResult]{Header: "Deferred", Cell: func(r projection.StatusResult) string { return strconv.FormatInt(r.Deferred, 10) },
		Colour: func(r projection.StatusResult) Colour { return badIf(r.Deferred > 0) }},
	Column[projection.StatusResult]{Header: "Lag", Cell: func(r projection.StatusResult) string { return (time.Duration(r.LagMs) * time.Millisecond).String() }},
)

var comparisonColumns = []Column[projection.Comparison]{
	{Header: "Table", Cell: func(c projection.Comparison) string { return c.Table }},
	{Header: "Rows", Cell: func(c projection.Comparison) string { return strconv.FormatInt(c.Rows, 10) }, Align: Right},
	differing("Missing", func(c projection.Comparison) int64 { return c.Missing }),
	differing("Surplus", func(c projection.Comparison) int64 { return c.Surplus }),
	differing("Different", func(c projection.Comparison) int64 { return c.Different }),
}

func differing(header string, count func(projection.Comparison) int64) Column[projection.Comparison] {
	return Column[projection.Comparison]{
		Header: header, Align: Right,
		Cell:   func(c projection.Comparison) string { return strconv.FormatInt(count(c), 10) },
		Colour: func(c projection.Comparison) Colour { return badIf(count(c) > 0) },
	}
}

func badIf(bad bool) Colour {
	if bad {
		return Bad
	}
	return Plain
}
