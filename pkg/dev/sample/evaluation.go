package sample

import (
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// EvaluationInput describes an evaluation of one section with these questions.
func EvaluationInput(questions ...ids.ID) authoring.EvaluationInput {
	section := authoring.SectionInput{Title: "Section"}
	for _, id := range questions {
		section.Items = append(section.Items, authoring.ItemInput{QuestionID: id})
	}
	return authoring.EvaluationInput{ExternalID: word("e"), Title: "Sample evaluation", Sections: []authoring.SectionInput{section}}
}

// Evaluation makes a published evaluation of published questions.
func Evaluation(t testing.TB, tx *db.Tx, questions ...ids.ID) authoring.Evaluation {
	t.Helper()
	e, err := authoring.CreateEvaluation(t.Context(), tx, EvaluationInput(questions...))
	if err != nil {
		t.Fatal(err)
	}
	e, err = authoring.PublishEvaluation(t.Context(), tx, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
