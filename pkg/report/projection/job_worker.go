package projection

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// JobArgs names a job for its worker.
type JobArgs struct {
	Tenant ids.ID `json:"tenant"`
	Job    ids.ID `json:"job"`
}

// Kind names the job.
func (JobArgs) Kind() string { return "report_job" }

// JobWorker works on jobs piece by piece. It can be stopped at any point: the next worker
// goes on behind the last piece.
type JobWorker struct {
	river.WorkerDefaults[JobArgs]
	Store *db.Store
	Log   *slog.Logger
}

const (
	// jobTurn is how long a worker stays with one job before others get a turn.
	jobTurn = 5 * time.Minute
	// jobPause is the wait while a tenant is being rebuilt.
	jobPause = 5 * time.Second
)

// Work runs a job to its end, or for one turn.
func (w *JobWorker) Work(ctx context.Context, j *river.Job[JobArgs]) error {
	for until := time.Now().Add(jobTurn); time.Now().Before(until); {
		done, err := RunPiece(ctx, w.Store, j.Args.Tenant, j.Args.Job)
		switch {
		case errors.Is(err, errBusy):
			return river.JobSnooze(jobPause)
		case err != nil && (ctx.Err() != nil || passing(err)):
			return err
		case err != nil:
			w.Log.ErrorContext(ctx, "report job failed", slog.String("tenant", j.Args.Tenant.String()),
				slog.String("job", j.Args.Job.String()), slog.Any("error", err))
			return failJob(ctx, w.Store, j.Args.Tenant, j.Args.Job, err)
		case done.State == models.ReportJobCompleted:
			return nil
		}
	}
	return river.JobSnooze(0)
}
