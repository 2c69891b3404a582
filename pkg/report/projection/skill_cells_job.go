package projection

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// skillsBatch is how many skills one transaction visits.
const skillsBatch = 20

// SkillCellsArgs are the arguments of the job that derives the cells of skills of every tenant.
type SkillCellsArgs struct{}

// Kind names the job.
func (SkillCellsArgs) Kind() string { return "skill_cells" }

// InsertOpts lets one such job wait or run at a time.
func (SkillCellsArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{UniqueOpts: river.UniqueOpts{ByState: []rivertype.JobState{rivertype.JobStateAvailable,
		rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled}}}
}

// SkillCellsWorker derives cells that changed. Running it twice changes nothing.
type SkillCellsWorker struct {
	river.WorkerDefaults[SkillCellsArgs]
	Store *db.Store
}

const tenantsWithStaleSkills = "select tenants_with_stale_skills()"

// Work visits every skill that was marked when it began. A tenant that fails does not hold up the
// others.
func (w *SkillCellsWorker) Work(ctx context.Context, _ *river.Job[SkillCellsArgs]) error {
	tenants, err := w.Store.Unscoped().IDs(ctx, tenantsWithStaleSkills)
	if err != nil {
		return err
	}
	var failed []error
	for _, tenant := range tenants {
		_, err = RecomputeAllSkills(ctx, w.Store, tenant)
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// LateSkills counts the skills of org units whose overviews wait for longer than that.
func LateSkills(ctx context.Context, store *db.Store, ago time.Duration) (int, error) {
	return countLate(ctx, store, ago, tenantsWithStaleSkills, "select count(*) from report_skill_stale where tenant_id = $1 and marked_at < $2")
}

// RecomputeAllSkills visits the marked skills of a tenant in several transactions, and gives their number.
// Skills that are marked meanwhile are left for the next time, so that it ends; while the tenant is being
// rebuilt, all are left.
func RecomputeAllSkills(ctx context.Context, store *db.Store, tenant ids.ID) (int, error) {
	scope := db.System(tenant, "skills")
	left, visited := 0, 0
	err := store.Read(ctx, scope, func(tx *db.Tx) error {
		return tx.QueryRow(ctx, "select count(*) from report_skill_stale where tenant_id = $1", tenant).Scan(&left)
	})
	for err == nil && left > 0 {
		n := 0
		err = store.Write(ctx, scope, func(tx *db.Tx) error {
			n = 0
			free, err := shareProjection(ctx, tx)
			if err != nil || !free {
				return err
			}
			n, err = RecomputeSkills(ctx, tx, min(skillsBatch, left))
			return err
		})
		if n == 0 {
			break
		}
		visited, left = visited+n, left-n
	}
	return visited, err
}
