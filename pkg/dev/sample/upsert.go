package sample

import (
	"context"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// UpsertQuestions writes questions as they are sent, the way an import does.
func UpsertQuestions(ctx context.Context, tx *db.Tx, inputs []authoring.QuestionInput) ([]authoring.Upserted, error) {
	made := make([]authoring.MadeQuestion, len(inputs))
	for i, in := range inputs {
		made[i] = authoring.MadeQuestion{QuestionInput: in}
	}
	return authoring.UpsertCheckedQuestions(ctx, tx, authoring.CheckQuestions(made))
}

// PublishPassage publishes a passage and gives it without warnings.
func PublishPassage(ctx context.Context, tx *db.Tx, id ids.ID) (authoring.Passage, error) {
	done, err := authoring.PublishPassageDraft(ctx, tx, authoring.PublishInput{ID: id})
	return done.Passage, err
}
