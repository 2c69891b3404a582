package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// Whatever the type, nothing that a candidate receives contains the key or the explanation.
func TestNoTypeShowsItsKey(t *testing.T) {
	t.Parallel()
	value := 1234.5
	tests := []struct {
		qtype  scoring.QType
		key    authoring.QuestionScoring
		answer string
	}{
		{scoring.ShortText, authoring.QuestionScoring{AcceptedAnswers: []string{"Secretville", "Geheimstadt"}}, `{"text":"Rome"}`},
		{scoring.Numeric, authoring.QuestionScoring{Value: &value, Tolerance: 0.125}, `{"number":7}`},
		{scoring.Essay, authoring.QuestionScoring{}, `{"text":"Once upon a time"}`},
	}
	r := newRoom(t, authoring.Settings{})
	var answers []string
	sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
		var questions []ids.ID
		for _, test := range tests {
			in := authoring.QuestionInput{QType: test.qtype, Stem: sample.Content("Why?", "Warum?"), Scoring: &test.key,
				Explanation: sample.Content("Because.", "Darum.")}
			q, err := authoring.CreateQuestion(t.Context(), tx, in)
			if err != nil {
				return err
			}
			_, err = authoring.PublishQuestion(t.Context(), tx, q.ID)
			if err != nil {
				return err
			}
			questions, answers = append(questions, q.ID), append(answers, test.answer)
		}
		e := sample.Evaluation(t, tx, questions...)
		snapshot, err := authoring.LoadSnapshot(t.Context(), tx, e.Published.ID)
		r.snapshot = *snapshot
		return err
	})
	s := r.start(r.candidate)
	receipt, err := r.save(r.candidate, s.ID, sample.Answers(r.snapshot, answers...)...)
	if err != nil {
		t.Fatal(err)
	}
	for _, told := range []any{s, receipt} {
		raw, err := json.Marshal(told)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"ecret", "Geheim", "1234.5", "0.125", "ccepted", "olerance", "orrect", "eight", "xplanation", "Because", "Darum"} {
			if strings.Contains(string(raw), secret) {
				t.Errorf("the candidate is told %q: %s", secret, raw)
			}
		}
	}
}
