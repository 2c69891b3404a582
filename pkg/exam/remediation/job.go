package remediation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Job finishes the remediation it names. Without one it looks for remediations that are stuck
// because the process that worked on them is gone.
type Job struct {
	Tenant      ids.ID `json:"tenant,omitzero"`
	Remediation ids.ID `json:"remediation,omitzero"`
}

// Kind names the job.
func (Job) Kind() string { return "remediation" }

// InsertOpts bounds how often it is tried: over some twenty minutes.
func (Job) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: 6} }

// stalledAfter is how long no step was taken when others take over.
const stalledAfter = time.Minute

// Worker works on Jobs. Running one twice changes nothing.
type Worker struct {
	river.WorkerDefaults[Job]
	Store *db.Store
}

// Work finishes one remediation, or all that are stuck.
func (w *Worker) Work(ctx context.Context, j *river.Job[Job]) error {
	if j.Args.Remediation == ids.None {
		return w.resume(ctx)
	}
	_, err := Run(ctx, w.Store, j.Args.Tenant, j.Args.Remediation, nil)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return river.JobSnooze(time.Second) // its time is over, or the process stops: go on later
	case j.Attempt >= j.MaxAttempts:
		return errors.Join(err, giveUp(ctx, w.Store, j.Args))
	}
	return err
}

// resume takes over where nobody went on.
func (w *Worker) resume(ctx context.Context) error {
	rows, err := w.Store.Unscoped().Query(ctx, "select tenant, remediation from stalled_remediations($1)", time.Now().Add(-stalledAfter))
	if err != nil {
		return fmt.Errorf("find stalled remediations: %w", err)
	}
	stalled, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Job])
	if err != nil {
		return fmt.Errorf("find stalled remediations: %w", db.Translate(err))
	}
	var problems []error
	for _, one := range stalled {
		_, err := Run(ctx, w.Store, one.Tenant, one.Remediation, nil)
		problems = append(problems, err)
	}
	return errors.Join(problems...)
}

// giveUp says that a remediation needs a person: applying or reverting it starts again.
func giveUp(ctx context.Context, store *db.Store, args Job) error {
	return store.Write(ctx, db.System(args.Tenant, "remediation"), func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, `
			update remediations set state = $3, updated_at = $4
			where tenant_id = $1 and id = $2 and state in ('applying', 'reverting')`,
			tx.Tenant(), args.Remediation, models.RemediationFailed, tx.Now())
		if err != nil {
			return fmt.Errorf("give up remediation: %w", err)
		}
		return nil
	})
}
