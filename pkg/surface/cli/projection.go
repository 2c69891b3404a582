package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/plural"
	"assess/pkg/report/projection"
)

func newProjection(s *Shell) *cobra.Command {
	return group("projection", "Look after the reporting tables",
		wide(newShow(s, "status", "Say how far the reporting tables are behind", alone(projection.Status), fields(statusColumns))),
		newProjectionRun(s), newProjectionJobs(s), wide(newProjectionVerify(s)), wide(newProjectionRebuild(s)))
}

func newProjectionVerify(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Compare the reporting tables with what a rebuild from nothing gives",
		Long: `Compare the reporting tables of the tenant with what a rebuild from nothing gives, and
change nothing. Exit code 1 says that they differ.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.verify(cmd.Context()) },
	}
}

func (s *Shell) verify(ctx context.Context) error {
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.dryRun {
				return s.verify(cmd.Context())
			}
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
	Column[projection.StatusResult]{Header: "Deferred", Colour: func(r projection.StatusResult) Colour { return badIf(r.Deferred > 0) }},
	Column[projection.StatusResult]{Header: "Lag", Cell: func(r projection.StatusResult) string { return (time.Duration(r.LagMs) * time.Millisecond).String() }},
)

var comparisonColumns = columns("Table, Rows, Missing, Surplus, Different",
	Column[projection.Comparison]{Header: "Missing", Colour: func(c projection.Comparison) Colour { return badIf(c.Missing > 0) }},
	Column[projection.Comparison]{Header: "Surplus", Colour: func(c projection.Comparison) Colour { return badIf(c.Surplus > 0) }},
	Column[projection.Comparison]{Header: "Different", Colour: func(c projection.Comparison) Colour { return badIf(c.Different > 0) }},
)
