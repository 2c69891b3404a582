package httpapi

import (
	"context"

	"assess/pkg/exam/remediation"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

type listRemediationsInput struct {
	State               string `query:"state" enum:"draft,applying,applied,reverting,reverted,failed"`
	EvaluationVersionID ids.ID `query:"evaluationVersionId"`
	PageQuery
}

func listRemediations(ctx context.Context, tx *db.Tx, in *listRemediationsInput) (db.List[remediation.Remediation], error) {
	return remediation.List(ctx, tx, remediation.Filter{State: in.State, EvaluationVersionID: in.EvaluationVersionID, Page: in.page()})
}

type createRemediationInput struct{ Body remediation.Input }

func createRemediation(ctx context.Context, tx *db.Tx, in *createRemediationInput) (remediation.Remediation, error) {
	return remediation.Create(ctx, tx, in.Body)
}

func getRemediation(ctx context.Context, tx *db.Tx, in *ByID) (remediation.Remediation, error) {
	return remediation.Get(ctx, tx, in.ID)
}

type updateRemediationInput struct {
	ByID
	Body remediation.Patch
}

func updateRemediation(ctx context.Context, tx *db.Tx, in *updateRemediationInput) (remediation.Remediation, error) {
	return remediation.Update(ctx, tx, in.ID, in.Body)
}

func deleteRemediation(ctx context.Context, tx *db.Tx, in *ByID) (none, error) {
	return none{}, remediation.Delete(ctx, tx, in.ID)
}

type previewRemediationInput struct {
	ByID
	PageQuery
	Body struct {
		Action string `json:"action,omitempty" enum:"apply,revert" doc:"What to look at; without it, what can be done next"`
	}
}

func previewRemediation(ctx context.Context, tx *db.Tx, in *previewRemediationInput) (remediation.Preview, error) {
	return remediation.Look(ctx, tx, remediation.PreviewInput{ID: in.ID, Action: in.Body.Action, Page: in.page()})
}

// startRemediation makes the handler of apply or revert.
func startRemediation(do func(context.Context, *db.Tx, ids.ID) (remediation.Remediation, error)) operation[ByID, remediation.Remediation] {
	return func(ctx context.Context, tx *db.Tx, in *ByID) (remediation.Remediation, error) {
		return do(ctx, tx, in.ID)
	}
}

type scoreItemInput struct {
	ByID
	ItemID ids.ID `path:"itemId" doc:"The itemId of the item"`
	Body   remediation.MarkInput
}

func scoreItem(ctx context.Context, tx *db.Tx, in *scoreItemInput) (remediation.Marked, error) {
	in.Body.SubmissionID, in.Body.ItemID = in.ID, in.ItemID
	return remediation.Mark(ctx, tx, in.Body)
}

type listScoreVersionsInput struct {
	ByID
	PageQuery
}

func listScoreVersions(ctx context.Context, tx *db.Tx, in *listScoreVersionsInput) (db.List[remediation.Version], error) {
	return remediation.ListVersions(ctx, tx, in.ID, in.page())
}
