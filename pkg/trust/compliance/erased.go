package compliance

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// ErasedArtifacts gives the hashes of the files about a person that were erased, for Files.Drop.
func ErasedArtifacts(ctx context.Context, tx *db.Tx, person ids.ID) ([]string, error) {
	rows, err := tx.Query(ctx, `
		select distinct a.sha256 from (select id from compliance_jobs where tenant_id = $1 and subject_id = $2 offset 0) j
		cross join lateral (select sha256 from compliance_artifacts a where a.tenant_id = $1 and a.job_id = j.id and a.erased_at is not null offset 0) a`,
		tx.Tenant(), person)
	if err != nil {
		return nil, fmt.Errorf("find erased files: %w", err)
	}
	hashes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find erased files: %w", err)
	}
	return hashes, nil
}

// ResultInto decodes what an earlier step kept with Result.
func (r *Run) ResultInto(into any) error {
	err := json.Unmarshal(r.Job.Result, into)
	if err != nil {
		return fmt.Errorf("decode the result of a job: %w", err)
	}
	return nil
}
