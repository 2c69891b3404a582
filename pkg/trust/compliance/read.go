package compliance

import (
	"context"
	"fmt"
	"slices"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// JobFilter chooses jobs; empty fields choose all.
type JobFilter struct {
	Type      string
	Status    string
	SubjectID ids.ID
	SLAState  string
	db.Page
}

// Statuses lists the states of jobs.
var Statuses = []string{models.ComplianceQueued, models.ComplianceRunning, models.ComplianceCompleted, models.ComplianceFailed, models.ComplianceBlocked}

// SLAStates lists the states of their time.
var SLAStates = []string{onTrack, atRisk, breached}

// slaCondition says of a row what slaOf does; ?0 is the present. Few jobs are open or ended late, and these have
// an index: both conditions begin with the condition of that index.
var slaCondition = map[string]string{
	breached: "(j.completed_at is null or j.completed_at > j.sla_due_at) and j.sla_due_at < coalesce(j.completed_at, ?0)",
	atRisk:   "(j.completed_at is null or j.completed_at > j.sla_due_at) and j.completed_at is null and j.sla_due_at >= ?0 and j.sla_due_at - ?0 < (j.sla_due_at - j.created_at) / 5",
	onTrack:  "j.sla_due_at >= coalesce(j.completed_at, ?0) and (j.completed_at is not null or j.sla_due_at - ?0 >= (j.sla_due_at - j.created_at) / 5)",
}

func (f JobFilter) check() error {
	var bad []errs.Field
	for _, one := range []struct {
		path, value string
		known       []string
	}{{"jobType", f.Type, Types}, {"status", f.Status, Statuses}, {"slaState", f.SLAState, SLAStates}} {
		if one.value != "" && !slices.Contains(one.known, one.value) {
			bad = append(bad, errs.Field{Path: one.path, Code: "out_of_range", Message: "there is no such value"})
		}
	}
	return errs.Invalid(bad...)
}

// ListJobs gives the jobs of the tenant, newest first. Capability: compliance.read, over the whole
// tenant. Errors: forbidden, validation_failed.
func ListJobs(ctx context.Context, tx *db.Tx, f JobFilter) (db.List[JobItem], error) {
	var none db.List[JobItem]
	if err := RequireReader(tx); err != nil {
		return none, err
	}
	page, err := f.Page.Check()
	if err != nil {
		return none, err
	}
	if err := f.check(); err != nil {
		return none, err
	}
	var rows []models.ComplianceJob
	query := tx.NewSelect().Model(&rows).ExcludeColumn("sealed").Where("j.tenant_id = ?", tx.Tenant())
	if f.Type != "" {
		query = query.Where("j.job_type = ?", f.Type)
	}
	if f.Status != "" {
		query = query.Where("j.status = ?", f.Status)
	}
	if f.SubjectID != ids.None {
		query = query.Where("j.subject_id = ?", f.SubjectID)
	}
	if f.SLAState != "" {
		query = query.Where(slaCondition[f.SLAState], tx.Now())
	}
	total, err := db.ReadPage(ctx, query, page, &rows, "j.created_at desc", "j.id desc")
	if err != nil {
		return none, fmt.Errorf("list jobs: %w", err)
	}
	var found []ids.ID
	for _, r := range rows {
		found = append(found, r.ID)
	}
	files, err := artifactsOf(ctx, tx, found)
	if err != nil {
		return none, err
	}
	items := make([]JobItem, 0, len(rows))
	for _, r := range rows {
		own := slices.DeleteFunc(slices.Clone(files), func(f models.ComplianceArtifact) bool { return f.JobID != r.ID })
		items = append(items, itemOf(r, own, tx.Now()))
	}
	return db.NewList(items, page, total), nil
}

// GetJob gives a job. Capability: compliance.read, over the whole tenant. Errors: forbidden, not_found.
func (c *Centre) GetJob(ctx context.Context, tx *db.Tx, id ids.ID) (Job, error) {
	if err := RequireReader(tx); err != nil {
		return Job{}, err
	}
	row, err := readJob(ctx, tx, id, false)
	if err != nil {
		return Job{}, err
	}
	files, err := artifactsOf(ctx, tx, []ids.ID{id})
	return c.view(row, files, tx.Now()), err
}

// shown gives a job as it is at the end of the work on it.
func (c *Centre) shown(ctx context.Context, row models.ComplianceJob) (Job, error) {
	var shown Job
	err := c.Store.Read(ctx, scopeOf(row), func(tx *db.Tx) error {
		files, err := artifactsOf(ctx, tx, []ids.ID{row.ID})
		shown = c.view(row, files, tx.Now())
		return err
	})
	return shown, err
}

// Newest gives the newest job of a type about a person, and false where there was none.
func Newest(ctx context.Context, tx *db.Tx, jobType string, subject ids.ID) (models.ComplianceJob, bool, error) {
	var rows []models.ComplianceJob
	err := tx.NewSelect().Model(&rows).Where("j.tenant_id = ? and j.subject_id = ? and j.job_type = ?", tx.Tenant(), subject, jobType).
		Order("j.created_at desc", "j.id desc").Limit(1).Scan(ctx)
	if err != nil {
		return models.ComplianceJob{}, false, fmt.Errorf("find the newest job: %w", err)
	}
	if len(rows) == 0 {
		return models.ComplianceJob{}, false, nil
	}
	return rows[0], true, nil
}
