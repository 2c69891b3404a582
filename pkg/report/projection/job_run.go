package projection

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// jobSize is how many subjects a job projects in one transaction.
const jobSize = BatchSize

// errBusy says that the tenant is being rebuilt or verified.
var errBusy = errors.New("projection: the tenant is being rebuilt or verified")

// RunPiece does the next piece of a job and gives the job afterwards: running, or completed when
// nothing was left. Any number of processes may work on one job; they take turns, or repeat for
// nothing what another one does. errs.Conflict while the tenant is being rebuilt; not_found when
// there is no such job.
func RunPiece(ctx context.Context, store *db.Store, tenant, id ids.ID) (Job, error) {
	return runPiece(ctx, store, tenant, id, jobSize)
}

func runPiece(ctx context.Context, store *db.Store, tenant, id ids.ID, size int) (Job, error) {
	var row models.ReportJob
	step := skillStep(nil)
	err := store.Write(ctx, db.System(tenant, "projector"), func(tx *db.Tx) error {
		err := joinProjection(ctx, tx)
		if err != nil {
			return err
		}
		row, err = lockJob(ctx, tx, id)
		if err != nil || row.State == models.ReportJobCompleted {
			return err
		}
		step = skillStepOf(row)
		if step != nil {
			return nil
		}
		err = countSubjects(ctx, tx, &row)
		if err != nil {
			return err
		}
		n, err := piece(ctx, tx, &row, size)
		if err != nil {
			return err
		}
		return goOn(ctx, tx, &row, n, size)
	})
	if err == nil && step != nil {
		return step(ctx, store, tenant, id, size)
	}
	return jobOf(row), err
}

// joinProjection shares the tenant with batches; errBusy while it is being rebuilt.
func joinProjection(ctx context.Context, tx *db.Tx) error {
	free, err := shareProjection(ctx, tx)
	if err == nil && !free {
		err = errs.Wrap(errs.Conflict, errBusy, "The tenant's reporting tables are being rebuilt; try again later.")
	}
	return err
}

// goOn records that a piece of n subjects is done.
func goOn(ctx context.Context, tx *db.Tx, row *models.ReportJob, n, size int) error {
	row.State, row.ErrorCode, row.FinishedAt = models.ReportJobRunning, nil, nil
	row.DoneN += int64(n)
	*row.TotalN = max(*row.TotalN, row.DoneN)
	if ended(*row, n, size) {
		now := tx.Now()
		row.State, row.FinishedAt = models.ReportJobCompleted, &now
	}
	return saveJob(ctx, tx, *row)
}

// ended says whether a piece of n was the last one. Subjects that came since they were counted
// belong to their range; questions that became stale since are left for another job, or it might
// never end.
func ended(row models.ReportJob, n, size int) bool {
	if row.Kind == kindPercentiles {
		return n == 0 || row.DoneN >= *row.TotalN
	}
	return n < size
}

func lockJob(ctx context.Context, tx *db.Tx, id ids.ID) (models.ReportJob, error) {
	var rows []models.ReportJob
	err := tx.NewSelect().Model(&rows).Where("j.tenant_id = ?", tx.Tenant()).Where("j.id = ?", id).For("update").Scan(ctx)
	if err != nil {
		return models.ReportJob{}, fmt.Errorf("lock job: %w", err)
	}
	if len(rows) == 0 {
		return models.ReportJob{}, errs.New(errs.NotFound, "There is no such job.")
	}
	return rows[0], nil
}

// countSubjects counts the subjects to visit if nobody has yet.
func countSubjects(ctx context.Context, tx *db.Tx, row *models.ReportJob) error {
	if row.TotalN != nil {
		return nil
	}
	now := tx.Now()
	row.StartedAt = &now
	sql, args := `select (select count(*) from report_question_health_rollup where tenant_id = $1 and percentiles_stale)
		+ (select count(*) from report_skill_stale where tenant_id = $1)`, []any{tx.Tenant()}
	if row.Kind != kindPercentiles {
		in, err := inputOf(*row)
		if err != nil {
			return err
		}
		sql, args = "select count(*) from ("+subjectsSQL+") s", in.arguments(tx.Tenant(), row.OrgUnitID, ids.None, nil)
	}
	var total int64
	err := tx.QueryRow(ctx, sql, args...).Scan(&total)
	if err != nil {
		return fmt.Errorf("count subjects: %w", err)
	}
	row.TotalN = &total
	return nil
}

func inputOf(row models.ReportJob) (JobInput, error) { return argumentsOf[JobInput](row) }

// argumentsOf reads the arguments of a job.
func argumentsOf[T any](row models.ReportJob) (T, error) {
	var in T
	err := json.Unmarshal(row.Arguments, &in)
	if err != nil {
		return in, fmt.Errorf("read arguments: %w", err)
	}
	return in, nil
}

// piece works on the next subjects and moves the cursor behind them.
func piece(ctx context.Context, tx *db.Tx, row *models.ReportJob, size int) (int, error) {
	if row.Kind == kindPercentiles {
		return recomputePiece(ctx, tx, int(*row.TotalN-row.DoneN))
	}
	in, err := inputOf(*row)
	if err != nil {
		return 0, err
	}
	rows, err := tx.Query(ctx, subjectsSQL, in.arguments(tx.Tenant(), row.OrgUnitID, row.LastSubject, &size)...)
	if err != nil {
		return 0, fmt.Errorf("find subjects: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil || len(found) == 0 {
		return 0, err
	}
	row.LastSubject = found[len(found)-1]
	if row.Kind == kindExceptions {
		err = execute(ctx, tx, found, lockStanding)
		if err != nil {
			return 0, err
		}
		return len(found), refreshExceptions(ctx, tx, found, true)
	}
	affected, err := projectSubjects(ctx, tx, subjects{submissions: found, sessions: found, standing: found})
	if err != nil {
		return 0, err
	}
	err = deriveQuestions(ctx, tx, affected.questions)
	if err != nil {
		return 0, err
	}
	err = applyFindingsOf(ctx, tx, found)
	if err != nil {
		return 0, err
	}
	err = refreshExceptions(ctx, tx, found, false)
	if err != nil {
		return 0, err
	}
	return len(found), skillMarks{figures: affected.skills}.apply(ctx, tx)
}

// applyFindingsOf brings the findings about submissions up to date.
func applyFindingsOf(ctx context.Context, tx *db.Tx, submissions []ids.ID) error {
	rows, err := tx.Query(ctx, "select id from findings where tenant_id = $1 and submission_id = any($2)", tx.Tenant(), submissions)
	if err != nil {
		return fmt.Errorf("find findings: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil || len(found) == 0 {
		return err
	}
	return applyFindings(ctx, tx, found)
}

func saveJob(ctx context.Context, tx *db.Tx, row models.ReportJob) error {
	_, err := tx.NewUpdate().Model(&row).WherePK().
		Column("state", "total_n", "done_n", "last_subject", "error_code", "started_at", "finished_at", "result").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save job: %w", err)
	}
	return nil
}

// failJob records why a job failed. It can be run again and goes on where it was.
func failJob(ctx context.Context, store *db.Store, tenant, id ids.ID, cause error) error {
	return store.Write(ctx, db.System(tenant, "projector"), func(tx *db.Tx) error {
		row, err := lockJob(ctx, tx, id)
		if err != nil {
			return err
		}
		code, now := string(errs.Of(cause).Code), tx.Now()
		row.State, row.ErrorCode, row.FinishedAt = models.ReportJobFailed, &code, &now
		return saveJob(ctx, tx, row)
	})
}
