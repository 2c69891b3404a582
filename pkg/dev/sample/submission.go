package sample

import (
	"encoding/json"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/delivery"
	"assess/pkg/kernel/db"
)

// Submission takes an evaluation for the actor from start to submit. responses are JSON,
// one an item in the order of the evaluation; an empty one leaves the item out.
func Submission(t testing.TB, tx *db.Tx, desk *delivery.Desk, s authoring.Snapshot, responses ...string) delivery.SubmitResult {
	t.Helper()
	session := Session(t, tx, desk, s.EvaluationID)
	answers := Answers(s, responses...)
	if len(answers) > 0 {
		_, err := desk.Save(t.Context(), tx, delivery.SaveInput{EvaluationID: s.EvaluationID, SessionID: session.ID, Answers: answers})
		if err != nil {
			t.Fatal(err)
		}
	}
	result, err := desk.Submit(t.Context(), tx, delivery.SubmitInput{EvaluationID: s.EvaluationID, SessionID: session.ID})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Answers makes first answers out of responses in JSON, one an item in the order of the
// evaluation; an empty one leaves the item out.
func Answers(s authoring.Snapshot, responses ...string) []delivery.Answer {
	var answers []delivery.Answer
	i := 0
	for _, section := range s.Sections {
		for _, item := range section.Items {
			if i < len(responses) && responses[i] != "" {
				answers = append(answers, delivery.Answer{ItemID: item.ItemID, Sequence: 1, Response: json.RawMessage(responses[i])})
			}
			i++
		}
	}
	return answers
}
