package httpapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

// Whoever accepts HTML gets a profile as a page, with what stands behind its figures; all others, and all that
// goes wrong, get JSON.
func TestAProfileIsAPage(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.submitOne(t)
	w.app.Project(t)
	at := "/users/" + w.home.User.String() + "/skills-profile"
	browser := map[string]string{"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
	get := func(path, token string, header map[string]string) response {
		return w.send(t, request{method: "GET", path: path, token: token, header: header})
	}
	drawn, plain := get(at+"?limit=1", w.home.Token, browser), get(at, w.home.Token, nil)
	for _, part := range []string{"Skills profile", "Reasoning", "Behind Reasoning", "</html>"} {
		if !strings.Contains(string(drawn.body), part) {
			t.Errorf("the page lacks %q:\n%s", part, drawn.body)
		}
	}
	if drawn.status != 200 || !strings.HasPrefix(drawn.header.Get("Content-Type"), "text/html") || !slices.Contains(drawn.header.Values("Vary"), "Accept") ||
		!strings.Contains(drawn.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") || drawn.header.Get("Cache-Control") != "no-store" {
		t.Errorf("page: %d %v", drawn.status, drawn.header)
	}
	if plain.status != 200 || !strings.HasPrefix(plain.header.Get("Content-Type"), "application/json") || !slices.Contains(plain.header.Values("Vary"), "Accept") {
		t.Errorf("JSON: %d %v", plain.status, plain.header)
	}
	want(t, get(at+"?limit=0", w.home.Token, browser), 422, errs.ValidationFailed)
	want(t, get("/users/nobody/skills-profile", w.home.Token, browser), 422, errs.ValidationFailed)
	want(t, get("/users/"+w.elsewhere.User.String()+"/skills-profile", w.home.Token, browser), 404, errs.NotFound)
	want(t, get(at, w.app.Token(t, capability.Candidate), browser), 403, errs.Forbidden)
	want(t, get(at, "no token", browser), 401, errs.Unauthenticated)
}

// submitOne lets a candidate take the evaluation, with one answer.
func (w *town) submitOne(t *testing.T) {
	t.Helper()
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		desk := session.NewDesk()
		open := startFor(t, tx, desk, w.home.Evaluation, w.home.User)
		answer := session.Answer{ItemID: open.Sections[0].Items[0].ItemID, Sequence: 1, Response: json.RawMessage(`{"optionIds":["A"]}`)}
		_, err := desk.Save(t.Context(), tx, session.SaveInput{EvaluationID: w.home.Evaluation, SessionID: open.ID, Answers: []session.Answer{answer}})
		if err == nil {
			_, err = desk.Submit(t.Context(), tx, session.SubmitInput{EvaluationID: w.home.Evaluation, SessionID: open.ID})
		}
		return err
	})
}
