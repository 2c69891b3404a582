package httpapi

import (
	"context"

	"assess/pkg/author/authoring"
	"assess/pkg/author/pack"
	"assess/pkg/exam/inventory"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
)

type listEvaluationsInput struct {
	Status string `query:"status" enum:"draft,published,archived" doc:"Without it, all that are not archived"`
	Search string `query:"q" maxLength:"200" doc:"Words of the title or the external id, in any order, the last one by its beginning" example:"biolog"`
	TermsQuery
	Sort string `query:"sort" enum:"-updatedAt,updatedAt,-createdAt,createdAt" doc:"Default -updatedAt"`
	ViewQuery
	PageQuery
}

func listEvaluations(ctx context.Context, tx *db.Tx, in *listEvaluationsInput) (db.List[authoring.EvaluationSummary], error) {
	asked := authoring.EvaluationFilter{Status: in.Status, Search: in.Search, Sort: in.Sort, Page: in.page()}
	err := in.read(&asked.TermsAny, &asked.TermsAll, &asked.IncludeDescendants)
	if err != nil {
		return db.List[authoring.EvaluationSummary]{}, err
	}
	filter, err := inventory.EvaluationsOf(ctx, tx, in.ViewID, asked)
	if err != nil {
		return db.List[authoring.EvaluationSummary]{}, err
	}
	return authoring.ListEvaluations(ctx, tx, filter)
}

type createEvaluationInput struct{ Body authoring.EvaluationInput }

func createEvaluation(ctx context.Context, tx *db.Tx, in *createEvaluationInput) (authoring.Evaluation, error) {
	return authoring.CreateEvaluation(ctx, tx, in.Body)
}

func getEvaluation(ctx context.Context, tx *db.Tx, in *ByID) (pack.Evaluation, error) {
	return pack.GetEvaluation(ctx, tx, in.ID)
}

type updateEvaluationInput struct {
	ByID
	Body authoring.EvaluationPatch
}

func updateEvaluation(ctx context.Context, tx *db.Tx, in *updateEvaluationInput) (authoring.Evaluation, error) {
	return authoring.UpdateEvaluation(ctx, tx, in.ID, in.Body)
}

func createEvaluationVersion(ctx context.Context, tx *db.Tx, in *ByID) (authoring.Evaluation, error) {
	return authoring.CreateEvaluationVersion(ctx, tx, in.ID)
}

func publishEvaluation(ctx context.Context, tx *db.Tx, in *publishInput) (authoring.EvaluationPublication, error) {
	return authoring.PublishEvaluationDraft(ctx, tx, in.asked(ctx))
}

func listEvaluationVersions(ctx context.Context, tx *db.Tx, in *versionsInput) (db.List[authoring.EvaluationVersionSummary], error) {
	return authoring.ListEvaluationVersions(ctx, tx, in.asked())
}

func getEvaluationVersion(ctx context.Context, tx *db.Tx, in *ByVersion) (authoring.EvaluationVersionDetail, error) {
	return authoring.GetEvaluationVersion(ctx, tx, in.version())
}

type configureFeedbackInput struct {
	ByVersion
	Body authoring.FeedbackInput
}

func configureFeedback(ctx context.Context, tx *db.Tx, in *configureFeedbackInput) (authoring.EvaluationVersion, error) {
	return authoring.ConfigureFeedback(ctx, tx, in.ID, in.VersionID, in.Body)
}

type previewEvaluationInput struct {
	ByID
	LangQuery
	Body session.PreviewInput
}

func previewEvaluation(ctx context.Context, tx *db.Tx, in *previewEvaluationInput) (session.Preview, error) {
	in.Body.EvaluationID, in.Body.Lang = in.ID, in.Lang
	return session.PreviewEvaluation(ctx, tx, in.Body)
}
