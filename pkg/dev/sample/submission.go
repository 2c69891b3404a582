package sample

import (
	"encoding/json"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
)

// Submission takes an evaluation for the actor from start to submit. responses are JSON,
// one an item in the order of the evaluation; an empty one leaves the item out.
func Submission(t testing.TB, tx *db.Tx, desk *session.Desk, s authoring.Snapshot, responses ...string) session.SubmitResult {
	t.Helper()
	open := Session(t, tx, desk, s.EvaluationID)
	answers := Answers(s, responses...)
	if len(answers) > 0 {
		_, err := desk.Save(t.Context(), tx, session.SaveInput{EvaluationID: s.EvaluationID, SessionID: open.ID, Answers: answers})
		if err != nil {
			t.Fatal(err)
		}
	}
	result, err := desk.Submit(t.Context(), tx, session.SubmitInput{EvaluationID: s.EvaluationID, SessionID: open.ID})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Answers makes first answers out of responses in JSON, one an item in the order of the
// evaluation; an empty one leaves the item out.
func Answers(s authoring.Snapshot, responses ...string) []session.Answer {
	var answers []session.Answer
	i := 0
	for _, section := range s.Sections {
		for _, item := range section.Items {
			if i < len(responses) && responses[i] != "" {
				answers = append(answers, session.Answer{ItemID: item.ItemID, Sequence: 1, Response: json.RawMessage(responses[i])})
			}
			i++
		}
	}
	return answers
}
