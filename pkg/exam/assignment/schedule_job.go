package assignment

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// scheduleBatch is how many schedules one look finds.
const scheduleBatch = 200

// ScheduleArgs requests one round of schedules. It belongs in the queue every few seconds.
type ScheduleArgs struct{}

// Kind names the job.
func (ScheduleArgs) Kind() string { return "run_schedules" }

// Scheduler runs the schedules of all tenants that are due, each in a transaction of its
// own. Rounds may overlap and run twice, in any number of processes.
type Scheduler struct {
	river.WorkerDefaults[ScheduleArgs]
	Store *db.Store
}

// Work runs one round. A schedule that fails does not hold up the others; its error comes back when
// the rest is done.
func (w *Scheduler) Work(ctx context.Context, _ *river.Job[ScheduleArgs]) error {
	rows, err := w.Store.Unscoped().Query(ctx, "select tenant, schedule from due_schedules(clock_timestamp(), $1)", scheduleBatch)
	if err != nil {
		return fmt.Errorf("find due schedules: %w", err)
	}
	type due struct{ tenant, schedule ids.ID }
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (due, error) {
		var d due
		err := row.Scan(&d.tenant, &d.schedule)
		return d, err
	})
	if err != nil {
		return fmt.Errorf("find due schedules: %w", db.Translate(err))
	}
	var failed []error
	for _, d := range found {
		err := w.Store.Write(ctx, db.System(d.tenant, "schedule"), func(tx *db.Tx) error {
			_, err := RunSchedule(ctx, tx, d.schedule)
			return err
		})
		if err != nil {
			failed = append(failed, fmt.Errorf("schedule %s: %w", d.schedule, err))
		}
	}
	return errors.Join(failed...)
}
