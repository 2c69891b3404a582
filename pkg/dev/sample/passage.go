package sample

import (
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// PassageInput describes a passage in English and German.
func PassageInput() authoring.PassageInput {
	return authoring.PassageInput{ExternalID: word("p"), Title: "Sample passage", Content: Content("The river rises.", "Der Fluss steigt.")}
}

// PassageDraft makes a passage with only a draft.
func PassageDraft(t testing.TB, tx *db.Tx) authoring.Passage {
	t.Helper()
	p, err := authoring.CreatePassage(t.Context(), tx, PassageInput())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Passage makes a published passage with the given questions.
func Passage(t testing.TB, tx *db.Tx, questions ...ids.ID) authoring.Passage {
	t.Helper()
	p, err := PublishPassage(t.Context(), tx, PassageDraft(t, tx).ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(questions) == 0 {
		return p
	}
	set, err := authoring.SetPassageQuestions(t.Context(), tx, p.ID, authoring.PassageQuestionsInput{QuestionIDs: questions})
	if err != nil {
		t.Fatal(err)
	}
	p.UpdatedAt = set.UpdatedAt
	return p
}
