package httpapi

import (
	"context"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
)

type listPassagesInput struct {
	Status string `query:"status" enum:"draft,published,archived" doc:"Without it, all that are not archived"`
	Search string `query:"q" maxLength:"200" doc:"Full-text query in any language: every word, the last one by its beginning"`
	Sort   string `query:"sort" enum:"-updatedAt,updatedAt,-createdAt,createdAt" default:"-updatedAt"`
	LangQuery
	PageQuery
}

func listPassages(ctx context.Context, tx *db.Tx, in *listPassagesInput) (db.List[authoring.PassageSummary], error) {
	return authoring.ListPassages(ctx, tx, authoring.PassageFilter{Status: in.Status, Search: in.Search, Sort: in.Sort, Lang: in.Lang, Page: in.page()})
}

type createPassageInput struct{ Body authoring.PassageInput }

func createPassage(ctx context.Context, tx *db.Tx, in *createPassageInput) (authoring.Passage, error) {
	return authoring.CreatePassage(ctx, tx, in.Body)
}

type getPassageInput struct {
	ByID
	LangQuery
}

func getPassage(ctx context.Context, tx *db.Tx, in *getPassageInput) (authoring.Passage, error) {
	return authoring.GetPassage(ctx, tx, authoring.GetPassageInput{ID: in.ID, Lang: in.Lang})
}

type updatePassageInput struct {
	ByID
	Body authoring.PassagePatch
}

func updatePassage(ctx context.Context, tx *db.Tx, in *updatePassageInput) (authoring.Passage, error) {
	return authoring.UpdatePassage(ctx, tx, in.ID, in.Body)
}

func createPassageVersion(ctx context.Context, tx *db.Tx, in *ByID) (authoring.Passage, error) {
	return authoring.CreatePassageVersion(ctx, tx, in.ID)
}

func publishPassage(ctx context.Context, tx *db.Tx, in *publishInput) (authoring.PassagePublication, error) {
	return authoring.PublishPassageDraft(ctx, tx, in.asked(ctx))
}

func listPassageVersions(ctx context.Context, tx *db.Tx, in *versionsInput) (db.List[authoring.PassageVersionSummary], error) {
	return authoring.ListPassageVersions(ctx, tx, in.asked())
}

func getPassageVersion(ctx context.Context, tx *db.Tx, in *ByVersion) (authoring.PassageVersionDetail, error) {
	return authoring.GetPassageVersion(ctx, tx, in.version())
}

func getPassageQuestions(ctx context.Context, tx *db.Tx, in *ByID) (authoring.PassageQuestions, error) {
	return authoring.GetPassageQuestions(ctx, tx, in.ID)
}

type setPassageQuestionsInput struct {
	ByID
	Body authoring.PassageQuestionsInput
}

func setPassageQuestions(ctx context.Context, tx *db.Tx, in *setPassageQuestionsInput) (authoring.PassageQuestions, error) {
	return authoring.SetPassageQuestions(ctx, tx, in.ID, in.Body)
}

func passageUsage(ctx context.Context, tx *db.Tx, in *ByID) (inventory.PassageUsage, error) {
	return inventory.UsageOfPassage(ctx, tx, in.ID)
}

func archivePassage(ctx context.Context, tx *db.Tx, in *ByID) (inventory.Lifecycle, error) {
	return inventory.Archive(ctx, tx, inventory.Passages, in.ID)
}

func restorePassage(ctx context.Context, tx *db.Tx, in *ByID) (inventory.Lifecycle, error) {
	return inventory.Restore(ctx, tx, inventory.Passages, in.ID)
}

func deletePassage(ctx context.Context, tx *db.Tx, in *ByID) (none, error) {
	return none{}, inventory.Delete(ctx, tx, inventory.Passages, in.ID)
}
