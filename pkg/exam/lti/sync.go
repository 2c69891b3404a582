package lti

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/job"
	"assess/pkg/people/people"
)

const (
	// syncEvery is how old the members of a group may get, syncLeast how soon launches of teachers have them read again.
	syncEvery = 24 * time.Hour
	syncLeast = 5 * time.Minute
	// patience is how long a course may take, and syncLease how long a process has it: longer.
	patience  = 4 * time.Minute
	syncLease = 5 * time.Minute
	// coursesInRound and coursesAtOnce bound what a round of the job does.
	coursesInRound = 64
	coursesAtOnce  = 4
)

// noteRoster keeps where the platform tells the members of the course. A teacher's launch has them read.
func (l launch) noteRoster(ctx context.Context, tx *db.Tx) error {
	var at *string
	if u := l.Roster.URL; u != "" && len(u) <= 2000 && len(checkAddress("", u)) == 0 {
		at = &u
	}
	due := tx.Now().Add(syncEvery)
	soon := teaches(l.Roles) && at != nil
	if soon {
		due = tx.Now()
	}
	n, err := tx.Exec(ctx, `
		update lti_contexts set members_url = $4, sync_at = case when $4::text is null then null else least(sync_at, $5) end
		where tenant_id = $1 and deployment_id = $2 and context_id = $3 and (members_url is distinct from $4
			or $6 and sync_at > $5 and coalesce(synced_at < $7, true))`,
		tx.Tenant(), l.deployment.ID, l.Context.ID, at, due, soon, tx.Now().Add(-syncLeast))
	if err != nil {
		return fmt.Errorf("note where members are told: %w", err)
	}
	if n == 0 || !soon {
		return nil
	}
	return job.Insert(ctx, tx, SyncArgs{})
}

// SyncCourse has the members of a course read that its platform tells, soon. It needs integrations.manage or assignments.manage. Errors: not_found,
// validation_failed where the platform tells none.
func SyncCourse(ctx context.Context, tx *db.Tx, id ids.ID) (Course, error) {
	err := mayMend(tx)
	if err != nil {
		return Course{}, err
	}
	_, err = tx.Exec(ctx, "update lti_contexts set sync_at = $3 where tenant_id = $1 and id = $2 and members_url is not null and ($4 or org_unit_id = $5)",
		tx.Tenant(), id, tx.Now(), tx.Scope().All, ids.Ref(tx.Scope().OrgUnit))
	if err != nil {
		return Course{}, fmt.Errorf("ask for members: %w", err)
	}
	row, err := findRow[models.LTIContext](ctx, tx, "course", "id = ? and (? or org_unit_id = ?)", id, tx.Scope().All, tx.Scope().OrgUnit)
	if err == nil && row.MembersURL == nil {
		err = errs.Invalid(errs.Field{Path: "id", Code: "no_roster", Message: "the platform does not tell the members of this course; its tool needs Names and Role Provisioning"})
	}
	if err != nil {
		return Course{}, err
	}
	return newCourse(row), job.Insert(ctx, tx, SyncArgs{})
}

// SyncArgs requests a round of courses whose members are due to be read. It belongs in the queue every minute.
type SyncArgs struct{}

// Kind names the job.
func (SyncArgs) Kind() string { return "sync_courses" }

// Syncer reads the members of the courses that are due, of all tenants. Rounds may overlap, in any number of processes: one at a time has a course.
type Syncer struct {
	river.WorkerDefaults[SyncArgs]
	Desk *Desk
	Log  *slog.Logger
}

// Work does one round. A course that fails does not hold up the others, and is due again later: its row says what is
// wrong.
func (w *Syncer) Work(ctx context.Context, _ *river.Job[SyncArgs]) error {
	rows, err := w.Desk.store.Unscoped().Query(ctx, "select tenant, course from lti_to_sync(clock_timestamp(), $1)", coursesInRound)
	if err != nil {
		return fmt.Errorf("look for courses to read: %w", err)
	}
	type pair struct{ Tenant, Course ids.ID }
	due, err := pgx.CollectRows(rows, pgx.RowToStructByPos[pair])
	if err != nil {
		return fmt.Errorf("look for courses to read: %w", db.Translate(err))
	}
	var all sync.WaitGroup
	free := make(chan struct{}, coursesAtOnce)
	for _, p := range due {
		free <- struct{}{}
		all.Go(func() {
			err := w.Desk.syncCourse(ctx, p.Tenant, p.Course)
			if err != nil && ctx.Err() == nil {
				w.Log.ErrorContext(ctx, "the members of a course cannot be read", slog.String("course", p.Course.String()), slog.Any("error", err))
			}
			<-free
		})
	}
	all.Wait()
	return nil
}

// syncCourse reads the members of a course, unless somebody else does.
func (d *Desk) syncCourse(ctx context.Context, tenant, course ids.ID) error {
	r, mine := &roster{}, false
	err := d.store.Write(ctx, db.System(tenant, "lti"), func(tx *db.Tx) error {
		var err error
		mine, err = r.begin(ctx, tx, course)
		return err
	})
	if err != nil || !mine {
		return err
	}
	limited, stop := context.WithTimeout(ctx, patience)
	problem := d.readRoster(limited, r.platform, r.course, func(page []member) error { return d.take(limited, r, page) })
	stop()
	if problem != nil && ctx.Err() != nil {
		return problem // the process stops; the course is due again after the lease
	}
	err = d.store.Write(ctx, scopeOf(tenant, r.course.OrgUnitID), func(tx *db.Tx) error { return r.finish(ctx, tx, problem) })
	if errors.Is(problem, errs.LTIPlatformUnavailable) {
		return err
	}
	return errors.Join(problem, err)
}

// begin takes a course that is due; false if somebody else has it, or there is nothing to read.
func (r *roster) begin(ctx context.Context, tx *db.Tx, id ids.ID) (bool, error) {
	r.begun = tx.Now()
	err := tx.QueryRow(ctx, `
		update lti_contexts set claimed_until = $4 where tenant_id = $1 and id = $2 and members_url is not null and sync_at <= $3 and (claimed_until is null or claimed_until <= $3)
		returning failures`, tx.Tenant(), id, tx.Now(), tx.Now().Add(syncLease)).Scan(&r.failures)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("take course: %w", err)
	}
	r.course, err = findRow[models.LTIContext](ctx, tx, "course", "id = ?", id)
	if err == nil {
		r.deployment, err = findRow[models.LTIDeployment](ctx, tx, "deployment", "id = ?", r.course.DeploymentID)
	}
	if err == nil {
		r.platform, err = findPlatform(ctx, tx, "id = ?", r.deployment.PlatformID)
	}
	if err != nil || r.deployment.Status == models.DeploymentAllowed && r.platform.Status == models.ProviderActive {
		return err == nil, err
	}
	// It waits like one that was read; somebody who allows it again need not wait so long.
	_, err = tx.Exec(ctx, "update lti_contexts set claimed_until = null, sync_at = $3 where tenant_id = $1 and id = $2", tx.Tenant(), id, tx.Now().Add(syncEvery))
	return false, err
}

// finish removes people who are gone, once all pages were read, and says when the course is read again. Somebody who
// entered while it was read stays.
func (r *roster) finish(ctx context.Context, tx *db.Tx, problem error) error {
	failures, next, why := 0, tx.Now().Add(syncEvery), (*string)(nil)
	synced := &r.begun
	if problem == nil {
		problem = people.LeaveGroup(ctx, tx, r.platform.ID, r.course.GroupID, r.stay, r.begun)
		if problem != nil {
			return problem
		}
	} else {
		text := "the service failed"
		switch {
		case errors.Is(problem, errs.LTIPlatformUnavailable):
			text, _ = errs.Of(problem).Details["reason"].(string)
		case errors.Is(problem, context.DeadlineExceeded):
			text = "it takes too long to tell its members"
		}
		synced, failures, next, why = r.course.SyncedAt, r.failures+1, tx.Now().Add(waitAfter(r.failures, 0)), &text
	}
	// Somebody may have requested it meanwhile.
	_, err := tx.Exec(ctx, `
		update lti_contexts set claimed_until = null, synced_at = $3, failures = $4, problem = $5, sync_at = case when sync_at > $7 then least(sync_at, $6) else $6 end
		where tenant_id = $1 and id = $2`, tx.Tenant(), r.course.ID, synced, failures, why, next, r.begun)
	if err != nil {
		return fmt.Errorf("write down how members were read: %w", err)
	}
	return nil
}
