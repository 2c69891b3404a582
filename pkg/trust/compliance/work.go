package compliance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Work brings a job to its end. Before it come the job about the same person that is running, and the older ones. Any number
// of processes may work on the same job: the row lets one of them take each step. A job that is blocked by a hold has come to
// its end. progress is told of each step; it may be nil.
func (c *Centre) Work(ctx context.Context, tenant, id ids.ID, progress func(Job)) (Job, error) {
	for {
		row, before, err := c.next(ctx, tenant, id)
		switch {
		case err != nil:
			return Job{}, err
		case over(row):
			return c.shown(ctx, row)
		case before != ids.None:
			_, err = c.Work(ctx, tenant, before, nil)
		case row.Status == models.ComplianceQueued:
			err = c.begin(ctx, row)
		default:
			err = c.goOn(ctx, row, progress)
		}
		if err != nil {
			return Job{}, err
		}
	}
}

// goOn takes a step, or a piece of one, and rests where the step gives way.
func (c *Centre) goOn(ctx context.Context, row models.ComplianceJob, progress func(Job)) error {
	start, number := time.Now(), row.Steps
	row, err := c.advance(ctx, row)
	if err == nil && row.Steps == number && c.givesWay(row) {
		err = rest(ctx, 2*time.Since(start))
	}
	if err == nil && progress != nil {
		progress(c.view(row, nil, row.SteppedAt))
	}
	return err
}

func over(row models.ComplianceJob) bool { return row.CompletedAt != nil }

// givesWay says whether the step that a job is in the middle of rests between its pieces.
func (c *Centre) givesWay(row models.ComplianceJob) bool {
	kind, err := c.kind(row.JobType)
	return err == nil && !over(row) && row.Steps < len(kind.Steps) && kind.Steps[row.Steps].GivesWay
}

func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// beforeSQL finds the job about the person $2 that comes before the queued job $3: the one that runs, or the oldest.
const beforeSQL = `
	select id from compliance_jobs
	where tenant_id = $1 and subject_id = $2 and id <> $3 and (status = 'running' or status = 'queued' and (created_at, id) < ($4, $3))
	order by status = 'running' desc, created_at, id limit 1`

// next reads the job, and the open one about the same person that comes before it.
func (c *Centre) next(ctx context.Context, tenant, id ids.ID) (row models.ComplianceJob, before ids.ID, err error) {
	err = c.Store.Read(ctx, db.System(tenant, "compliance"), func(tx *db.Tx) error {
		row, err = readJob(ctx, tx, id, false)
		if err != nil || row.Status != models.ComplianceQueued || row.SubjectID == nil {
			return err
		}
		before, err = jobBefore(ctx, tx, row)
		return err
	})
	return row, before, err
}

func jobBefore(ctx context.Context, tx *db.Tx, row models.ComplianceJob) (ids.ID, error) {
	var before ids.ID
	err := tx.QueryRow(ctx, beforeSQL, tx.Tenant(), *row.SubjectID, row.ID, row.CreatedAt).Scan(&before)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return before, fmt.Errorf("find the job that comes before: %w", err)
	}
	return before, nil
}

// begin says that a queued job runs, in a transaction of its own, so that others see it. Of the jobs about one person
// one runs at a time: where another one began meanwhile, this one stays queued. The lock lets the person go on.
func (c *Centre) begin(ctx context.Context, row models.ComplianceJob) error {
	return c.Store.Write(ctx, scopeOf(row), func(tx *db.Tx) error {
		row, err := readJob(ctx, tx, row.ID, true)
		if err != nil || row.Status != models.ComplianceQueued {
			return err
		}
		if row.SubjectID != nil {
			_, err = tx.Exec(ctx, "select from users where tenant_id = $1 and id = $2 for no key update", tx.Tenant(), *row.SubjectID)
			if err != nil {
				return fmt.Errorf("lock the person of a job: %w", err)
			}
			before, err := jobBefore(ctx, tx, row)
			if err != nil || before != ids.None {
				return err
			}
		}
		row.Status, row.StartedAt, row.SteppedAt = models.ComplianceRunning, new(tx.Now()), tx.Now()
		return store(ctx, tx, &row)
	})
}

// advance takes one step of a job, or the next piece of one. A hold ends the job.
func (c *Centre) advance(ctx context.Context, row models.ComplianceJob) (models.ComplianceJob, error) {
	kind, err := c.kind(row.JobType)
	if err != nil {
		return row, err
	}
	number := row.Steps
	if number < len(kind.Steps) && kind.Steps[number].Outside != nil {
		if err := kind.Steps[number].Outside(ctx, c.run(row, false)); err != nil {
			return row, err
		}
	}
	err = c.Store.Write(ctx, scopeOf(row), func(tx *db.Tx) error {
		var err error
		row, err = readJob(ctx, tx, row.ID, true)
		if err != nil || over(row) || row.Steps != number {
			return err // somebody else took the step
		}
		err = unlimited(ctx, tx)
		if err != nil {
			return err
		}
		row, err = c.step(ctx, tx, kind, row, false)
		if err != nil {
			return err
		}
		return store(ctx, tx, &row)
	})
	if errors.Is(err, errs.HoldActive) {
		return c.end(ctx, row, Blocked, errs.HoldActive)
	}
	return row, err
}

// present is the time at the end of the work of a transaction, whose own time is the time when it began.
func present(ctx context.Context, tx *db.Tx) (*time.Time, error) {
	var now time.Time
	err := tx.QueryRow(ctx, "select date_trunc('milliseconds', clock_timestamp())").Scan(&now)
	if err != nil {
		return nil, fmt.Errorf("read the clock: %w", err)
	}
	return &now, nil
}

// step does the next step within the transaction, and ends the job after the last one.
func (c *Centre) step(ctx context.Context, tx *db.Tx, kind Kind, row models.ComplianceJob, dry bool) (models.ComplianceJob, error) {
	var err error
	if row.StartedAt == nil {
		row.StartedAt = new(tx.Now())
	}
	row.Status, row.SteppedAt = models.ComplianceRunning, tx.Now()
	if row.Steps < len(kind.Steps) {
		one, r, done := kind.Steps[row.Steps], c.run(row, dry), true
		if one.Do != nil {
			done, err = one.Do(ctx, tx, r)
			if err != nil {
				return row, fmt.Errorf("%s: %w", one.Name, err)
			}
		}
		row = r.Job
		row.Counts = added(row.Counts, r.counts)
		if !done {
			return row, nil
		}
		row.Steps, row.DoneN, row.TotalN = row.Steps+1, 0, nil
		_, err = tx.Exec(ctx, "insert into compliance_steps (tenant_id, job_id, number, name, counts, ended_at) values ($1, $2, $3, $4, $5, $6)",
			tx.Tenant(), row.ID, row.Steps, one.Name, row.Counts, tx.Now())
		if err != nil {
			return row, fmt.Errorf("write down a step: %w", err)
		}
	}
	if row.Steps < len(kind.Steps) {
		return row, nil
	}
	row.Status, row.Sealed = models.ComplianceCompleted, nil
	row.CompletedAt, err = present(ctx, tx)
	if err != nil {
		return row, err
	}
	hash, err := artifactHash(ctx, tx, row.ID, kind.Artifact)
	if err != nil {
		return row, err
	}
	return row, c.tell(ctx, tx, row, Entry{State: Completed, Counts: row.Counts, ArtifactHash: hash})
}

// tell writes down the end of a job, and calls Ended where somebody waits for it.
func (c *Centre) tell(ctx context.Context, tx *db.Tx, row models.ComplianceJob, e Entry) error {
	err := Record(ctx, tx, row, e)
	if err != nil || c.Ended == nil {
		return err
	}
	return c.Ended(ctx, tx, row)
}

// finish takes all steps in one transaction, either of a preview or of the call that creates a job done at once.
func (c *Centre) finish(ctx context.Context, tx *db.Tx, kind Kind, row models.ComplianceJob, dry bool) (models.ComplianceJob, error) {
	var err error
	for err == nil && !over(row) {
		row, err = c.step(ctx, tx, kind, row, dry)
	}
	return row, err
}

// unlimited lifts the time limit of requests, which is not meant for jobs.
func unlimited(ctx context.Context, tx *db.Tx) error {
	_, err := tx.Exec(ctx, "set local statement_timeout = 0")
	if err != nil {
		return fmt.Errorf("lift time limit: %w", err)
	}
	return nil
}

func (c *Centre) run(row models.ComplianceJob, dry bool) *Run {
	return &Run{Centre: c, Job: row, Dry: dry, counts: map[string]int64{}}
}

func added(all, more map[string]int64) map[string]int64 {
	sum := maps.Clone(all)
	if sum == nil {
		sum = map[string]int64{}
	}
	for table, n := range more {
		sum[table] += n
	}
	return sum
}

// end ends a job that cannot go on. Its sealed data go with it, except for a job that failed (Unfinished).
func (c *Centre) end(ctx context.Context, row models.ComplianceJob, state string, why errs.Code) (models.ComplianceJob, error) {
	err := c.Store.Write(ctx, scopeOf(row), func(tx *db.Tx) error {
		var err error
		row, err = readJob(ctx, tx, row.ID, true)
		if err != nil || over(row) {
			return err
		}
		now, code := tx.Now(), string(why)
		row.Status, row.CompletedAt, row.SteppedAt = state, &now, now
		if state == Blocked {
			row.Sealed, row.BlockedReason = nil, &code
		} else {
			row.ErrorCode = &code
		}
		if err := store(ctx, tx, &row); err != nil {
			return err
		}
		return c.tell(ctx, tx, row, Entry{State: state, Counts: row.Counts})
	})
	return row, err
}

// scopeOf is the whole tenant, in the name of the one who requested the job.
func scopeOf(row models.ComplianceJob) db.Scope {
	scope := db.System(row.TenantID, "compliance")
	kind, name, _ := strings.Cut(row.RequestedBy, ":")
	scope.Actor = db.Actor{Kind: db.ActorKind(kind), Name: name}
	if scope.Actor.Kind == db.UserActor {
		scope.Actor.ID, _ = ids.Parse("user", name) //nolint:errcheck // it was written by String
		scope.Capabilities = capability.NewSet()
		for _, e := range capability.All {
			scope.Capabilities[e.Capability] = struct{}{}
		}
	}
	return scope
}

func readJob(ctx context.Context, tx *db.Tx, id ids.ID, lock bool) (models.ComplianceJob, error) {
	var rows []models.ComplianceJob
	query := tx.NewSelect().Model(&rows).Where("j.tenant_id = ? and j.id = ?", tx.Tenant(), id)
	if lock {
		query = query.For("update")
	}
	err := query.Scan(ctx)
	if err != nil {
		return models.ComplianceJob{}, fmt.Errorf("read job: %w", err)
	}
	if len(rows) == 0 {
		return models.ComplianceJob{}, errs.New(errs.NotFound, "There is no such job.")
	}
	return rows[0], nil
}

func store(ctx context.Context, tx *db.Tx, row *models.ComplianceJob) error {
	_, err := tx.NewUpdate().Model(row).WherePK().Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("write down how far a job is: %w", err)
	}
	return nil
}
