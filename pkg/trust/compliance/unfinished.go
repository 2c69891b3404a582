package compliance

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Unfinished gives the jobs of a type about a person that failed and keep something sealed, the oldest first,
// for the job that does again what they left half done.
func Unfinished(ctx context.Context, tx *db.Tx, jobType string, person ids.ID) ([]models.ComplianceJob, error) {
	var rows []models.ComplianceJob
	err := tx.NewSelect().Model(&rows).Where("j.tenant_id = ? and j.subject_id = ? and j.job_type = ? and j.sealed is not null and j.status = ?",
		tx.Tenant(), person, jobType, models.ComplianceFailed).Order("j.created_at", "j.id").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("find jobs that failed: %w", err)
	}
	return rows, nil
}

// Finish says that a job did what these left: what they keep sealed goes.
func Finish(ctx context.Context, tx *db.Tx, jobType string, person ids.ID) error {
	_, err := tx.Exec(ctx, `update compliance_jobs set sealed = null
		where tenant_id = $1 and subject_id = $2 and job_type = $3 and sealed is not null and status = $4`,
		tx.Tenant(), person, jobType, models.ComplianceFailed)
	if err != nil {
		return fmt.Errorf("finish jobs that failed: %w", err)
	}
	return nil
}
