package compliance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Args names a job to bring to its end. Without one the worker looks for jobs that have stopped.
type Args struct {
	Tenant ids.ID `json:"tenant,omitzero"`
	Job    ids.ID `json:"job,omitzero"`
}

// Kind names the job of the queue.
func (Args) Kind() string { return "compliance" }

// InsertOpts bounds how often a job is tried: over some twenty minutes.
func (Args) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 6} }

// standingAfter is how long nobody took a step when others take over.
const standingAfter = time.Minute

// Worker works on Args.
type Worker struct {
	river.WorkerDefaults[Args]
	Centre *Centre
}

// Timeout leaves a job as long as it needs: it goes on in steps, and a large one has many.
func (w *Worker) Timeout(*river.Job[Args]) time.Duration { return -1 }

// Work brings one job to its end, or all that have stopped.
func (w *Worker) Work(ctx context.Context, j *river.Job[Args]) error {
	if j.Args.Job == ids.None {
		return w.resume(ctx)
	}
	_, err := w.Centre.Work(ctx, j.Args.Tenant, j.Args.Job, nil)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return river.JobSnooze(time.Second) // the process stops: another one goes on
	case j.Attempt >= j.MaxAttempts:
		return errors.Join(err, w.Centre.giveUp(ctx, j.Args, err))
	}
	return err
}

// giveUp ends a job that broke off again and again. The ledger gets the code of the error and never
// its text.
func (c *Centre) giveUp(ctx context.Context, a Args, cause error) error {
	row, _, err := c.next(ctx, a.Tenant, a.Job)
	if err != nil || over(row) {
		return err
	}
	_, err = c.end(ctx, row, Failed, errs.Of(cause).Code)
	return err
}

// resume takes over where nobody goes on.
func (w *Worker) resume(ctx context.Context) error {
	rows, err := w.Centre.Store.Unscoped().Query(ctx, "select tenant, job from standing_compliance_jobs($1)", time.Now().Add(-standingAfter))
	if err != nil {
		return fmt.Errorf("find compliance jobs that stand still: %w", err)
	}
	standing, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Args])
	if err != nil {
		return fmt.Errorf("find compliance jobs that stand still: %w", db.Translate(err))
	}
	var problems []error
	for _, one := range standing {
		_, err := w.Centre.Work(ctx, one.Tenant, one.Job, nil)
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}
