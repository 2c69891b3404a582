package projection

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
)

// BackfillInput chooses what to project again, within the scope of the caller; empty means
// everything. From and To bound the completion of submissions and the start of sessions:
// from included, to excluded.
type BackfillInput struct {
	SubmissionIDs       []ids.ID   `json:"submissionIds,omitempty" doc:"These submissions"`
	EvaluationVersionID *ids.ID    `json:"evaluationVersionId,omitempty" doc:"Those of one evaluation version"`
	From                *time.Time `json:"from,omitempty" doc:"Completed (or started) at or after"`
	To                  *time.Time `json:"to,omitempty" doc:"Completed (or started) before"`
}

// BackfillResult counts what was queued.
type BackfillResult struct {
	Submissions int64 `json:"submissions"`
	Sessions    int64 `json:"sessions"`
	Findings    int64 `json:"findings"`
}

// backfillSQL fills in the table and its time column. Policies narrow it to the scope.
const backfillSQL = `
insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
select tenant_id, '%[1]s', id, $2 from %[1]ss
where tenant_id = $1 and ($3::uuid[] is null or id = any($3)) and ($4::uuid is null or evaluation_version_id = $4)
	and ($5::timestamptz is null or %[2]s >= $5) and ($6::timestamptz is null or %[2]s < $6)`

// Findings go with their submissions.
const backfillFindingsSQL = `
insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
select f.tenant_id, 'finding', f.id, $2
from findings f join submissions s on s.tenant_id = f.tenant_id and s.id = f.submission_id
where f.tenant_id = $1 and ($3::uuid[] is null or f.submission_id = any($3)) and ($4::uuid is null or s.evaluation_version_id = $4)
	and ($5::timestamptz is null or s.completed_at >= $5) and ($6::timestamptz is null or s.completed_at < $6)`

// Backfill queues submissions, sessions and findings of the scope for projection. Projecting again
// what is already shown right writes nothing. validation_failed when to is not after from.
func Backfill(ctx context.Context, tx *db.Tx, in BackfillInput) (BackfillResult, error) {
	err := tx.Require(capability.ReportingViewNamed)
	if err != nil {
		return BackfillResult{}, err
	}
	if in.From != nil && in.To != nil && !in.From.Before(*in.To) {
		return BackfillResult{}, errs.Invalid(errs.Field{Path: "to", Code: "out_of_range", Message: "to must be after from"})
	}
	var r BackfillResult
	for _, kind := range []struct {
		name, time string
		queued     *int64
	}{{"submission", "completed_at", &r.Submissions}, {"session", "started_at", &r.Sessions}} {
		*kind.queued, err = tx.Exec(ctx, fmt.Sprintf(backfillSQL, kind.name, kind.time),
			tx.Tenant(), tx.Now(), in.SubmissionIDs, in.EvaluationVersionID, in.From, in.To)
		if err != nil {
			return BackfillResult{}, fmt.Errorf("queue %ss: %w", kind.name, err)
		}
	}
	r.Findings, err = tx.Exec(ctx, backfillFindingsSQL, tx.Tenant(), tx.Now(), in.SubmissionIDs, in.EvaluationVersionID, in.From, in.To)
	if err != nil {
		return BackfillResult{}, fmt.Errorf("queue findings: %w", err)
	}
	return r, nil
}
