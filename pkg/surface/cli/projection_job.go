package cli

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
	"assess/pkg/report/projection"
)

const projectionRunLong = `Project what waits for it, until nothing does. With flags: project submissions and sessions
again, those named, those of a time, those that a remediation changed, or those with raw
events. What is shown right already stays as it is. It works beside a running assessd.

It can be interrupted: the job is kept, and --resume ID goes on where it stopped. --queue
leaves the work to assessd.`

func newProjectionRun(s *Shell) *cobra.Command {
	var in projection.JobInput
	var resume *ids.ID
	var queue bool
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Project submissions and sessions again",
		Long:  projectionRunLong,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if resume != nil {
				return s.resume(cmd, *resume)
			}
			if !chooses(cmd, "kind", "submission", "remediation", "evaluation-version", "from", "to", "queue") {
				return s.drain(cmd.Context())
			}
			return s.ask(cmd, in, queue, func(tx *db.Tx) (projection.Job, error) { return projection.QueueProjection(cmd.Context(), tx, in) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&in.Kind, "kind", projection.KindRange, "submission, range, remediation or telemetry")
	idsFlag(cmd, &in.SubmissionIDs, "submission", "ids of submissions, separated by commas")
	optionalIDFlag(cmd, &in.RemediationID, "remediation", "id of a remediation")
	optionalIDFlag(cmd, &in.EvaluationVersionID, "evaluation-version", "id of an evaluation version")
	periodFlags(cmd, &in.From, &in.To)
	optionalIDFlag(cmd, &resume, "resume", "id of a job to go on with")
	flags.BoolVar(&queue, "queue", false, "leave the work to assessd")
	return s.changes(cmd)
}

// chooses says whether one of the flags was given.
func chooses(cmd *cobra.Command, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return cmd.Flags().Changed(name) })
}

// Drained says how much of the outbox was projected.
type Drained struct {
	Projected int `json:"projected"`
}

// drain works on the tenant's outbox until it is empty; others may do so at the same time. A dry run
// says how much waits.
func (s *Shell) drain(ctx context.Context) error {
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return err
	}
	if s.dryRun {
		status, err := read(ctx, s, func(tx *db.Tx) (projection.StatusResult, error) { return projection.Status(ctx, tx) })
		if err != nil {
			return err
		}
		return PrintOne(s, status, statusColumns...)
	}
	progress := s.Progress("Projecting")
	defer progress.Done()
	for done, n := 0, 1; ; {
		err = store.Write(ctx, db.System(scope.Tenant, "projector"), func(tx *db.Tx) error {
			var err error
			n, err = projection.ProjectBatch(ctx, tx, projection.BatchSize)
			return err
		})
		if err != nil {
			return err
		}
		if n == 0 {
			progress.Done()
			return PrintOne(s, Drained{done})
		}
		done += n
		progress.Report(int64(done), 0)
	}
}

// ask stores a job and works on it, unless that is left to assessd.
func (s *Shell) ask(cmd *cobra.Command, in any, queue bool, do func(*db.Tx) (projection.Job, error)) error {
	queued, err := write(s, cmd, in, do)
	if err != nil {
		return err
	}
	if queue || s.dryRun {
		return PrintOne(s, queued, jobColumns...)
	}
	s.Note("Job %s. If it is interrupted: assessctl projection run --resume %s", queued.ID, queued.ID)
	return s.work(cmd.Context(), queued.ID)
}

// resume goes on with a job of the scope.
func (s *Shell) resume(cmd *cobra.Command, id ids.ID) error {
	_, err := read(cmd.Context(), s, func(tx *db.Tx) (projection.Job, error) { return projection.GetJob(cmd.Context(), tx, id) })
	if err != nil {
		return err
	}
	return s.work(cmd.Context(), id)
}

// busyPause is the wait while the tenant is being rebuilt or verified.
const busyPause = time.Second

// work does a job piece by piece; others may do so at the same time.
func (s *Shell) work(ctx context.Context, id ids.ID) error {
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return err
	}
	progress := s.Progress("Projecting")
	defer progress.Done()
	for {
		done, err := projection.RunPiece(ctx, store, scope.Tenant, id)
		switch {
		case errors.Is(err, errs.Conflict):
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(busyPause):
			}
		case err != nil:
			return err
		case done.State == models.ReportJobCompleted:
			progress.Done()
			return PrintOne(s, done, jobColumns...)
		default:
			progress.Report(done.Done, *done.Total)
		}
	}
}

func newProjectionJobs(s *Shell) *cobra.Command {
	var page db.Page
	one := newShow(s, "jobs [ID]", "", byID("job", projection.GetJob), fields(jobFields))
	cmd := newList(s, "jobs [ID]", "List projection and percentile jobs, or show one", &page, with(&page, projection.ListJobs), jobColumns)
	list := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return one.RunE(cmd, args)
		}
		return list(cmd, args)
	}
	return wide(cmd)
}

var jobColumns = columns("ID = Job, Kind, CreatedAt = Asked for (UTC)*, State, Done, Of, Error",
	Column[projection.Job]{Header: "State", Colour: func(j projection.Job) Colour { return badIf(j.State == models.ReportJobFailed) }},
	Column[projection.Job]{Header: "Of", Cell: func(j projection.Job) string {
		if j.Total == nil {
			return ""
		}
		return strconv.FormatInt(*j.Total, 10)
	}, Align: Right},
	Column[projection.Job]{Header: "Error", Cell: func(j projection.Job) string {
		if j.ErrorCode == nil {
			return ""
		}
		return wire.Words(*j.ErrorCode)
	}},
)

// jobFields are the fields of a single job: what it is about, who requested it, and when it ran.
var jobFields = append(slices.Clip(jobColumns),
	columns[projection.Job]("Arguments = About, RequestedBy = Asked for by, StartedAt, FinishedAt = Ended (UTC)")...)
