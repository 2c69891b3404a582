package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// heavy is an evaluation with a time limit whose questions are 100 KB each.
func (w *town) heavy(t *testing.T) ids.ID {
	t.Helper()
	var e authoring.Evaluation
	scope := w.app.Scope
	scope.All = false
	sample.Write(t, w.app.Store, scope, func(tx *db.Tx) error {
		var questions []ids.ID
		for range 3 {
			in := sample.QuestionInput("A")
			in.Stem = sample.Content(strings.Repeat("What is it? ", 8000), "Was ist es?")
			q, err := authoring.CreateQuestion(t.Context(), tx, in)
			if err == nil {
				_, err = authoring.PublishQuestion(t.Context(), tx, q.ID)
			}
			if err != nil {
				return err
			}
			questions = append(questions, q.ID)
		}
		in, seconds := sample.EvaluationInput(questions...), 3600
		in.Settings.ShuffleItems, in.Settings.ShuffleOptions, in.Settings.TimeLimitSeconds = true, true, &seconds
		made, err := authoring.CreateEvaluation(t.Context(), tx, in)
		if err == nil {
			e, err = authoring.PublishEvaluation(t.Context(), tx, made.ID)
		}
		return err
	})
	return e.ID
}

// The answers to start and resume come again word for word, although the session went on,
// another device has it and it got more time; and the data kept for that is no copy of the exam.
func TestReplaysOfStartAndResumeTellTheFirstAnswer(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	path := "/evaluations/" + w.heavy(t).String() + "/sessions"
	post := func(path, key string, body any) response {
		t.Helper()
		return w.send(t, request{method: http.MethodPost, path: path, token: w.home.Token, key: key, body: body})
	}
	first := post(path+"?lang=en", "start", map[string]any{})
	s := answer[session.Session](t, first, http.StatusCreated)
	at := path + "/" + s.ID.String()
	item := s.Sections[0].Items[0].ItemID
	save := map[string]any{"answers": []any{map[string]any{"itemId": item, "sequence": 1, "response": map[string]any{"optionIds": []string{"A"}}}}}
	answer[session.Receipt](t, post(at+"/answers", "", save), http.StatusOK)
	taken := post(at+"/resume", "take", nil)
	if got := answer[session.Session](t, taken, http.StatusOK); got.View != 2 || len(got.Answers) != 1 {
		t.Fatalf("resumed: got %+v", got)
	}
	answer[session.Session](t, post(at+"/resume", "take-back", nil), http.StatusOK)
	answer[session.Summary](t, w.send(t, request{method: http.MethodPost, path: at + "/extend", token: w.app.Token(t, capability.Proctor), key: "extend",
		body: map[string]any{"extraTimeSeconds": 60, "reason": "noise"}}), http.StatusOK)

	for what, pair := range map[string][2]response{
		"start":                        {first, post(path+"?lang=en", "start", map[string]any{})},
		"start, in another language":   {first, post(path+"?lang=de", "start", map[string]any{})},
		"resume, superseded meanwhile": {taken, post(at+"/resume", "take", nil)},
	} {
		was, again := pair[0], pair[1]
		if again.status != was.status || string(again.body) != string(was.body) || again.header.Get("Idempotency-Replayed") != "true" ||
			again.header.Get("Location") != was.header.Get("Location") || was.header.Get("Content-Language") != "en" || again.header.Get("Content-Language") != "en" {
			t.Errorf("%s: got %d and %d bytes, want %d and %d", what, again.status, len(again.body), was.status, len(was.body))
		}
	}
	var most int
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `select max(length(body)) from idempotency_keys where tenant_id = $1 and path like $2`,
			tx.Tenant(), "%"+path+"%").Scan(&most)
	})
	if most == 0 || most > 2000 || len(first.body) < 100_000 {
		t.Errorf("of an answer of %d bytes %d are kept", len(first.body), most)
	}
}
