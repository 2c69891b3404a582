package cli

import (
	"context"

	"github.com/spf13/cobra"

	"assess/pkg/db"
	"assess/pkg/ids"
	"assess/pkg/projection"
)

// Backfilled counts what a backfill queued, and what of the queue this call worked on
// itself.
type Backfilled struct {
	projection.BackfillResult
	Projected int `json:"projected"`
}

const backfillLong = `Project submissions with their findings, and sessions, again: all of the scope, or those that the flags choose.
What is shown right already stays as it is, so it can be interrupted and run again. It
works beside a running assessd; --queue leaves the work to that one.`

func newProjectionBackfill(s *Session) *cobra.Command {
	var choice struct{ submissions, version, from, to string }
	var queue bool
	cmd := &cobra.Command{
		Use:   "backfill",
		Short: "Project submissions and sessions again",
		Long:  backfillLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, err := chosen(choice.submissions, choice.version, choice.from, choice.to)
			if err != nil {
				return err
			}
			done, err := write(s, cmd, in, func(tx *db.Tx) (Backfilled, error) {
				queued, err := projection.Backfill(cmd.Context(), tx, in)
				return Backfilled{BackfillResult: queued}, err
			})
			if err == nil && !queue && !s.dryRun {
				done.Projected, err = s.project(cmd.Context(), done.Submissions+done.Sessions+done.Findings)
			}
			if err != nil {
				return err
			}
			return PrintOne(s, done)
		},
	}
	cmd.Flags().StringVar(&choice.submissions, "submission", "", "ids of submissions, separated by commas")
	cmd.Flags().StringVar(&choice.version, "evaluation-version", "", "id of an evaluation version")
	periodFlags(cmd, &choice.from, &choice.to)
	cmd.Flags().BoolVar(&queue, "queue", false, "leave the work to assessd")
	return s.changes(cmd)
}

// project works on the tenant's outbox until it is empty, beside others who may do so.
func (s *Session) project(ctx context.Context, queued int64) (int, error) {
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return 0, err
	}
	progress := s.Progress("Projecting")
	defer progress.Done()
	for done := 0; ; {
		n := 0
		err = store.Write(ctx, db.System(scope.Tenant, "projector"), func(tx *db.Tx) error {
			var err error
			n, err = projection.ProjectBatch(ctx, tx, projection.BatchSize)
			return err
		})
		if err != nil || n == 0 {
			return done, err
		}
		done += n
		progress.Report(int64(done), max(queued, int64(done)))
	}
}

// chosen reads the flags of a backfill.
func chosen(submissions, version, from, to string) (projection.BackfillInput, error) {
	var in projection.BackfillInput
	for _, word := range fields(submissions) {
		id, err := ids.Parse("submission", word)
		if err != nil {
			return in, err
		}
		in.SubmissionIDs = append(in.SubmissionIDs, id)
	}
	var err error
	in.EvaluationVersionID, err = optionalID("evaluation-version", version)
	if err != nil {
		return in, err
	}
	in.From, in.To, err = period(from, to)
	return in, err
}
