package httpapi

import (
	"context"

	"assess/pkg/authoring"
	"assess/pkg/db"
)

type listQuestionsInput struct {
	Status string `query:"status" enum:"draft,published,archived"`
	QType  string `query:"qtype" enum:"mcq,mrq,short_text,numeric,essay"`
	Sort   string `query:"sort" enum:"-updatedAt,updatedAt,-createdAt,createdAt" default:"-updatedAt"`
	PageQuery
}

func listQuestions(ctx context.Context, tx *db.Tx, in *listQuestionsInput) (db.List[authoring.QuestionSummary], error) {
	return authoring.ListQuestions(ctx, tx, authoring.QuestionFilter{Status: in.Status, QType: in.QType, Sort: in.Sort, Page: in.page()})
}

type createQuestionInput struct{ Body authoring.QuestionInput }

func createQuestion(ctx context.Context, tx *db.Tx, in *createQuestionInput) (authoring.Question, error) {
	return authoring.CreateQuestion(ctx, tx, in.Body)
}

func getQuestion(ctx context.Context, tx *db.Tx, in *ByID) (authoring.Question, error) {
	return authoring.GetQuestion(ctx, tx, in.ID)
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

func publishQuestion(ctx context.Context, tx *db.Tx, in *ByID) (authoring.Question, error) {
	return authoring.PublishQuestion(ctx, tx, in.ID)
}
