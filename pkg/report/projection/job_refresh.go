package projection

import (
	"context"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// kindExceptions is the kind of job that judges submissions anew for the exceptions queue.
const kindExceptions = "exceptions"

// RefreshInput chooses the submissions whose readiness is judged anew, within the scope of the
// caller; all of them if nothing is set.
type RefreshInput struct {
	SubmissionIDs       []ids.ID `json:"submissionIds,omitempty" maxItems:"10000" nullable:"false" doc:"Only these submissions"`
	EvaluationVersionID *ids.ID  `json:"evaluationVersionId,omitempty" doc:"Only submissions of this evaluation version"`
}

// QueueRefresh queues a fresh look at the readiness of submissions for a worker. The queue is up to
// date without it; it helps where something was changed that the service does not hear of, and
// records for every exception when it was last seen. Capability: exceptions.triage. Errors:
// validation_failed.
func QueueRefresh(ctx context.Context, tx *db.Tx, in RefreshInput) (Job, error) {
	err := tx.Require(capability.ExceptionsTriage)
	if err != nil {
		return Job{}, err
	}
	if len(in.SubmissionIDs) > maxSubmissions {
		return Job{}, errs.Invalid(errs.Field{Path: "submissionIds", Code: "too_many", Message: "at most 10,000"})
	}
	chosen := JobInput{Kind: kindExceptions, SubmissionIDs: in.SubmissionIDs, EvaluationVersionID: in.EvaluationVersionID}
	err = chosen.known(ctx, tx)
	if err != nil {
		return Job{}, err
	}
	return queue(ctx, tx, kindExceptions, chosen)
}

// GetRefresh reads a refresh. Capability: exceptions.read or exceptions.triage. Errors: not_found.
func GetRefresh(ctx context.Context, tx *db.Tx, id ids.ID) (Job, error) {
	if !tx.Can(capability.ExceptionsRead) {
		err := tx.Require(capability.ExceptionsTriage)
		if err != nil {
			return Job{}, err
		}
	}
	found, err := findJob(ctx, tx, id)
	if err == nil && found.Kind != kindExceptions {
		return Job{}, errNoJob
	}
	return found, err
}
