package pack

import (
	"context"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Evaluation is an evaluation with the pack that it came with.
type Evaluation struct {
	authoring.Evaluation
	Pack *Origin `json:"pack,omitempty" doc:"The content pack and revision that it has now, or had last; absent where it was written here"`
}

// GetEvaluation gives an evaluation in detail. Capability: evaluations.read. Errors: not_found.
func GetEvaluation(ctx context.Context, tx *db.Tx, id ids.ID) (Evaluation, error) {
	e, err := authoring.GetEvaluation(ctx, tx, id)
	if err != nil {
		return Evaluation{}, err
	}
	from, err := OriginOfEvaluation(ctx, tx, id)
	return Evaluation{e, from}, err
}
