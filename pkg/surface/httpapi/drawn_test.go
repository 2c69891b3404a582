package httpapi_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/reporting"
)

// A caller who accepts HTML gets a profile as a page, with the evidence behind its figures; all others, and all
// failures, get JSON.
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

// Reports are pages for callers who accept HTML, with the same rights, filters and refusals as their JSON.
func TestReportsArePages(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.submitOne(t)
	w.app.Project(t)
	version := w.home.EvaluationVersion.String()
	browser := map[string]string{"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
	list := answer[reporting.HealthList](t, w.do(t, http.MethodGet, "/reporting/question-health?evaluationVersionId="+version, nil), http.StatusOK)
	question := list.Items[0]
	for path, parts := range map[string][]string{
		"/reporting/evaluations": {"Evaluations with attempts", version},
		"/reporting/evaluation-summary?evaluationVersionId=" + version:                    {"Evaluation summary", "Sections", "From the invitation to the end"},
		"/reporting/evaluation-summary/groups?evaluationVersionId=" + version:             {"Groups of an evaluation"},
		"/reporting/evaluation-summary/cohorts?evaluationVersionId=" + version:            {"Cohorts of an evaluation", reporting.Unlabeled},
		"/reporting/question-health?run_label=&evaluationVersionId=" + version:            {"Questions of Sample evaluation", question.Stem},
		"/reporting/question-versions/" + question.QuestionVersionID.String() + "/health": {question.Stem, "All attempts", "Option A"},
		"/reporting/session-attempts/" + w.home.Submission.String():                       {"Integrity"},
		"/defensibility/exceptions/submissions":                                           {"Results that cannot be defended yet"},
		"/reporting/session-attempts?run_label=&evaluationVersionId=" + version:           {"Sample evaluation", "Only attempts without a run", "the newest first"},
		"/remediations": {"Corrections of questions"},
		"/remediations/" + w.home.Remediation.String(): {"The question before", "The question after"},
	} {
		got := w.send(t, request{method: http.MethodGet, path: path, token: w.home.Token, header: browser})
		for _, part := range append(parts, "</html>") {
			if !strings.Contains(string(got.body), part) {
				t.Errorf("%s: the page lacks %q: %d\n%.600s", path, part, got.status, got.body)
			}
		}
		if got.status != http.StatusOK || got.header.Get("Content-Type") != "text/html; charset=utf-8" || !slices.Contains(got.header.Values("Vary"), "Accept") ||
			!strings.Contains(got.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %v", path, got.status, got.header)
		}
		plain := w.do(t, http.MethodGet, path, nil)
		if plain.status != http.StatusOK || !strings.HasPrefix(plain.header.Get("Content-Type"), "application/json") || !slices.Contains(plain.header.Values("Vary"), "Accept") {
			t.Errorf("%s as JSON: %d %v", path, plain.status, plain.header)
		}
		want(t, w.send(t, request{method: http.MethodGet, path: path, token: w.app.Token(t, capability.Candidate), header: browser}), 403, errs.Forbidden)
		want(t, w.send(t, request{method: http.MethodGet, path: path, header: browser}), 401, errs.Unauthenticated)
	}
	want(t, w.send(t, request{method: http.MethodGet, path: "/reporting/question-health?limit=0", token: w.home.Token, header: browser}), 422, errs.ValidationFailed)
	want(t, w.send(t, request{method: http.MethodGet, path: "/reporting/evaluation-summary?evaluationVersionId=" + ids.New().String(), token: w.home.Token, header: browser}), 404, errs.NotFound)
}
