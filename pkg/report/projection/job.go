package projection

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/job"
	"assess/pkg/kernel/ledger"
	"assess/pkg/kernel/wire"
)

// Job is reporting maintenance that somebody requested.
type Job struct {
	ID          ids.ID          `json:"id"`
	Kind        string          `json:"kind" enum:"submission,range,remediation,telemetry,percentiles,exceptions,skills,skill_preview"`
	State       string          `json:"state" enum:"queued,running,completed,failed"`
	Arguments   json.RawMessage `json:"arguments" shape:"object" doc:"What was asked for"`
	RequestedBy *ids.ID         `json:"requestedBy" doc:"The user who asked; null for the command line"`
	Total       *int64          `json:"total" doc:"Subjects or questions to visit; null until the job begins"`
	Done        int64           `json:"done"`
	ErrorCode   *string         `json:"errorCode" doc:"Why the job failed"`
	CreatedAt   time.Time       `json:"createdAt"`
	StartedAt   *time.Time      `json:"startedAt"`
	FinishedAt  *time.Time      `json:"finishedAt"`
}

func jobOf(r models.ReportJob) Job {
	return Job{ID: r.ID, Kind: r.Kind, State: r.State, Arguments: r.Arguments, RequestedBy: r.RequestedBy, Total: r.TotalN, Done: r.DoneN,
		ErrorCode: r.ErrorCode, CreatedAt: r.CreatedAt.UTC(), StartedAt: r.StartedAt, FinishedAt: r.FinishedAt}
}

// QueueProjection queues a projection of the caller's scope for a worker. It needs
// reporting.view_named. validation_failed for arguments that do not fit the kind, and for ids that
// are not in the scope.
func QueueProjection(ctx context.Context, tx *db.Tx, in JobInput) (Job, error) {
	err := tx.Require(capability.ReportingViewNamed)
	if err != nil {
		return Job{}, err
	}
	err = in.check()
	if err != nil {
		return Job{}, err
	}
	err = in.known(ctx, tx)
	if err != nil {
		return Job{}, err
	}
	return queue(ctx, tx, in.Kind, in)
}

// QueuePercentiles queues the percentiles of every question of the tenant whose attempts changed.
// It needs reporting.view_named.
func QueuePercentiles(ctx context.Context, tx *db.Tx) (Job, error) {
	err := tx.Require(capability.ReportingViewNamed)
	if err != nil {
		return Job{}, err
	}
	return queue(ctx, tx, kindPercentiles, struct{}{})
}

// queue stores a job. The caller has checked the capability.
func queue(ctx context.Context, tx *db.Tx, kind string, arguments any) (Job, error) {
	encoded, err := wire.Marshal(arguments)
	if err != nil {
		return Job{}, fmt.Errorf("encode job: %w", err)
	}
	row := models.ReportJob{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: unitOf(tx), Kind: kind, State: models.ReportJobQueued,
		Arguments: encoded, CreatedAt: tx.Now()}
	if actor := tx.Actor(); actor.Kind == db.UserActor {
		row.RequestedBy = &actor.ID
	}
	_, err = tx.NewInsert().Model(&row).Exec(ctx)
	if err != nil {
		return Job{}, fmt.Errorf("store job: %w", err)
	}
	err = job.Insert(ctx, tx, JobArgs{Tenant: tx.Tenant(), Job: row.ID})
	if err != nil {
		return Job{}, err
	}
	return jobOf(row), ledger.Append(ctx, tx, ledger.Event{Type: "report_job.queued", SubjectType: "report_job", SubjectID: row.ID,
		OrgUnit: tx.Scope().OrgUnit, Payload: map[string]any{"kind": kind}})
}

// unitOf is the org unit that a job is limited to; nil for all of the tenant.
func unitOf(tx *db.Tx) *ids.ID {
	if tx.Scope().All {
		return nil
	}
	unit := tx.Scope().OrgUnit
	return &unit
}

// GetJob needs reporting.view_named; not_found outside the scope.
func GetJob(ctx context.Context, tx *db.Tx, id ids.ID) (Job, error) {
	err := tx.Require(capability.ReportingViewNamed)
	if err != nil {
		return Job{}, err
	}
	return findJob(ctx, tx, id)
}

var errNoJob = errs.New(errs.NotFound, "There is no such job in your scope.")

func findJob(ctx context.Context, tx *db.Tx, id ids.ID) (Job, error) {
	var rows []models.ReportJob
	err := tx.NewSelect().Model(&rows).Where("j.tenant_id = ?", tx.Tenant()).Where("j.id = ?", id).Scan(ctx)
	if err != nil {
		return Job{}, fmt.Errorf("read job: %w", err)
	}
	unit := unitOf(tx)
	if len(rows) == 0 || unit != nil && (rows[0].OrgUnitID == nil || *rows[0].OrgUnitID != *unit) {
		return Job{}, errNoJob
	}
	return jobOf(rows[0]), nil
}

// ListJobs gives the jobs of the scope, newest first. It needs reporting.view_named.
func ListJobs(ctx context.Context, tx *db.Tx, page db.Page) (db.List[Job], error) {
	err := tx.Require(capability.ReportingViewNamed)
	if err != nil {
		return db.List[Job]{}, err
	}
	page, err = page.Check()
	if err != nil {
		return db.List[Job]{}, err
	}
	var rows []models.ReportJob
	query := tx.NewSelect().Model(&rows).Where("j.tenant_id = ?", tx.Tenant())
	if unit := unitOf(tx); unit != nil {
		query = query.Where("j.org_unit_id = ?", *unit)
	}
	total, err := query.Count(ctx)
	if err != nil {
		return db.List[Job]{}, fmt.Errorf("count jobs: %w", err)
	}
	err = query.OrderExpr("j.created_at desc, j.id").Limit(int64(page.Limit)).Offset(int64(page.Offset())).Scan(ctx)
	if err != nil {
		return db.List[Job]{}, fmt.Errorf("list jobs: %w", err)
	}
	var jobs []Job
	for _, r := range rows {
		jobs = append(jobs, jobOf(r))
	}
	return db.NewList(jobs, page, int(total)), nil
}
