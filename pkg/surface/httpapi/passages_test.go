package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

const legacyPayload = `{"schemaVersion":"passage-rich-content/v1","type":"doc","blocks":[{"type":"paragraph","children":[{"text":"River"}]}]}`

func (w *town) do(t *testing.T, method, path string, body any) response {
	t.Helper()
	return w.send(t, request{method: method, path: path, token: w.home.Token, key: ids.New().String(), body: body})
}

func answer[T any](t *testing.T, r response, status int) T {
	t.Helper()
	var out T
	if r.status != status {
		t.Fatalf("got %d %s, want %d", r.status, r.body, status)
	}
	if err := json.Unmarshal(r.body, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Only passages take content without its envelope (specification, section 2.8).
func TestContentWithoutEnvelopeIsForPassagesAlone(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	made := answer[authoring.Passage](t, w.do(t, http.MethodPost, "/passages", map[string]any{"title": "T", "content": json.RawMessage(legacyPayload)}), 201)
	if made.Draft.Content.DefaultLocale != "en" || len(made.Draft.Content.Locales) != 1 {
		t.Errorf("got %+v", made.Draft.Content)
	}
	in := sample.QuestionInput("A")
	for name, spoil := range map[string]func(){
		"stem":               func() { in.Stem = json.RawMessage(legacyPayload) },
		"explanation":        func() { in.Explanation = json.RawMessage(`"text"`) },
		"options[1].content": func() { in.Options[1].Content = json.RawMessage(legacyPayload) },
	} {
		in = sample.QuestionInput("A")
		spoil()
		t.Run(name, func(t *testing.T) { want(t, w.do(t, http.MethodPost, "/questions", in), 422, errs.ValidationFailed) })
	}
}

func TestPassageOverHTTP(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	p := answer[authoring.Passage](t, w.do(t, http.MethodPost, "/passages", sample.PassageInput()), 201)
	path := "/passages/" + p.ID.String()
	q := answer[authoring.Question](t, w.do(t, http.MethodPost, "/questions", sample.QuestionInput("A")), 201)
	set := map[string]any{"questionIds": []ids.ID{q.ID}, "updatedAt": p.UpdatedAt}
	questions := answer[authoring.PassageQuestions](t, w.do(t, http.MethodPut, path+"/questions", set), 200)
	if len(questions.Questions) != 1 || questions.Questions[0].ID != q.ID {
		t.Errorf("got %+v", questions)
	}
	want(t, w.do(t, http.MethodPut, path+"/questions", set), 409, errs.StaleUpdate)
	other := answer[authoring.Passage](t, w.do(t, http.MethodPost, "/passages", sample.PassageInput()), 201)
	want(t, w.do(t, http.MethodPut, "/passages/"+other.ID.String()+"/questions", map[string]any{"questionIds": []ids.ID{q.ID}}), 409, errs.QuestionInOtherPassage)
	want(t, w.do(t, http.MethodPost, "/questions/"+q.ID.String()+"/publish", nil), 422, errs.PublishBlocked)
	answer[authoring.Passage](t, w.do(t, http.MethodPost, path+"/publish", nil), 200)
	want(t, w.do(t, http.MethodPost, path+"/publish", nil), 409, errs.NothingToPublish)
	published := answer[authoring.Question](t, w.do(t, http.MethodPost, "/questions/"+q.ID.String()+"/publish", nil), 200)
	want(t, w.do(t, http.MethodDelete, path, nil), 409, errs.PassageInUse)
	shown := answer[authoring.Passage](t, w.do(t, http.MethodGet, path+"?lang=de-AT", nil), 200)
	if shown.Status != "archived" || shown.Locale != "de" || shown.Published.Content.Locale != "de" || shown.Published.ID != *published.Published.PassageVersionID {
		t.Errorf("got %+v", shown)
	}
	whole := answer[map[string]any](t, w.do(t, http.MethodGet, path, nil), 200)
	if _, told := whole["locale"]; told {
		t.Error("the envelope has a locale of its own")
	}
	want(t, w.do(t, http.MethodPatch, path, map[string]any{"title": "x"}), 409, errs.Archived)
	if got := w.do(t, http.MethodDelete, "/passages/"+other.ID.String(), nil); got.status != 204 {
		t.Errorf("an unused one: got %d %s", got.status, got.body)
	}
}
