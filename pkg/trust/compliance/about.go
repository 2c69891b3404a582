package compliance

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// AboutArtifact is a file that a job about a person made and that is still held.
type AboutArtifact struct {
	JobID     ids.ID
	JobType   string
	RequestID *ids.ID // that the job carries out
	Name      string
	SHA256    string
	CreatedAt time.Time
}

// ArtifactsAbout gives the files that jobs about a person made and that are still held, the files of the
// newest job first. It checks no capability: its callers are jobs.
func ArtifactsAbout(ctx context.Context, tx *db.Tx, person ids.ID) ([]AboutArtifact, error) {
	rows, err := tx.Query(ctx, `
		select j.id, j.job_type, j.request_id, a.name, a.sha256, a.created_at
		from (select id, job_type, request_id, created_at from compliance_jobs where tenant_id = $1 and subject_id = $2 offset 0) j
		cross join lateral (select name, sha256, created_at from compliance_artifacts a
			where a.tenant_id = $1 and a.job_id = j.id and a.erased_at is null and (a.expires_at is null or a.expires_at > $3) offset 0) a
		order by j.created_at desc, j.id desc, a.name collate "C"`, tx.Tenant(), person, tx.Now())
	if err != nil {
		return nil, fmt.Errorf("find the files about a person: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[AboutArtifact])
	if err != nil {
		return nil, fmt.Errorf("find the files about a person: %w", err)
	}
	return found, nil
}
