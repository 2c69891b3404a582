package httpapi

import (
	"context"

	"assess/pkg/exam/review"
	"assess/pkg/kernel/db"
)

type decisionInput struct {
	ByID
	Body review.Input
}

// decision makes the handler of one kind of decision.
func decision(decide func(context.Context, *db.Tx, review.Input) (review.Result, error)) operation[decisionInput, review.Result] {
	return func(ctx context.Context, tx *db.Tx, in *decisionInput) (review.Result, error) {
		in.Body.SubmissionID = in.ID
		return decide(ctx, tx, in.Body)
	}
}

type listDecisionsInput struct {
	ByID
	PageQuery
}

func listDecisions(ctx context.Context, tx *db.Tx, in *listDecisionsInput) (db.List[review.Decision], error) {
	return review.ListDecisions(ctx, tx, in.ID, in.page())
}
