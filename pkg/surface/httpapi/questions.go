package httpapi

import (
	"context"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

type listQuestionsInput struct {
	Status             string        `query:"status" enum:"draft,published,archived" doc:"Without it, all that are not archived"`
	Search             string        `query:"q" maxLength:"200" doc:"Full-text query in any language: every word, the last one by its beginning" example:"photosynth"`
	QType              scoring.QType `query:"qtype"`
	ContributesToScore string        `query:"contributesToScore" enum:"true,false" doc:"false for survey items"`
	TermsQuery
	PassageID ids.ID `query:"passageId" doc:"Questions about this passage"`
	Sort      string `query:"sort" enum:"-updatedAt,updatedAt,-createdAt,createdAt" doc:"Default -updatedAt"`
	ViewQuery
	PageQuery
}

func (in listQuestionsInput) filter() (authoring.QuestionFilter, error) {
	f := authoring.QuestionFilter{Status: in.Status, Search: in.Search, QType: in.QType, PassageID: in.PassageID, Sort: in.Sort, Page: in.page()}
	if in.ContributesToScore != "" {
		contributes := in.ContributesToScore == "true"
		f.ContributesToScore = &contributes
	}
	return f, in.read(&f.TermsAny, &f.TermsAll, &f.IncludeDescendants)
}

func listQuestions(ctx context.Context, tx *db.Tx, in *listQuestionsInput) (db.List[authoring.QuestionSummary], error) {
	asked, err := in.filter()
	if err != nil {
		return db.List[authoring.QuestionSummary]{}, err
	}
	filter, err := inventory.QuestionsOf(ctx, tx, in.ViewID, asked)
	if err != nil {
		return db.List[authoring.QuestionSummary]{}, err
	}
	return authoring.ListQuestions(ctx, tx, filter)
}

type createQuestionInput struct{ Body authoring.QuestionInput }

func createQuestion(ctx context.Context, tx *db.Tx, in *createQuestionInput) (authoring.Question, error) {
	return authoring.CreateQuestion(ctx, tx, in.Body)
}

type getQuestionInput struct {
	ByID
	LangQuery
}

func getQuestion(ctx context.Context, tx *db.Tx, in *getQuestionInput) (authoring.ShownQuestion, error) {
	q, err := authoring.GetQuestion(ctx, tx, in.ID)
	return q.In(in.Lang), err
}

func listQuestionVersions(ctx context.Context, tx *db.Tx, in *versionsInput) (db.List[authoring.QuestionVersionSummary], error) {
	return authoring.ListQuestionVersions(ctx, tx, in.asked())
}

func getQuestionVersion(ctx context.Context, tx *db.Tx, in *ByVersion) (authoring.QuestionVersionDetail, error) {
	return authoring.GetQuestionVersion(ctx, tx, in.version())
}

type updateQuestionInput struct {
	ByID
	Body authoring.QuestionPatch
}

func updateQuestion(ctx context.Context, tx *db.Tx, in *updateQuestionInput) (authoring.Question, error) {
	return authoring.UpdateQuestion(ctx, tx, in.ID, in.Body)
}

func createQuestionVersion(ctx context.Context, tx *db.Tx, in *ByID) (authoring.Question, error) {
	return authoring.CreateQuestionVersion(ctx, tx, in.ID)
}

func publishQuestion(ctx context.Context, tx *db.Tx, in *publishInput) (authoring.QuestionPublication, error) {
	return authoring.PublishQuestionDraft(ctx, tx, in.asked(ctx))
}
