package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	chromium "assess/pkg/dev/browser"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/reporting"
	"assess/pkg/report/reportlink"
)

// reportLink makes a link and gives the path of its page, the same with the code, and the code.
func (w *town) reportLink(t *testing.T, subject map[string]any) (made reportlink.Issued, path, at, code string) {
	t.Helper()
	made = answer[reportlink.Issued](t, w.do(t, http.MethodPost, "/reporting/links", subject), http.StatusCreated)
	u, err := url.Parse(made.OpenURL)
	if err != nil {
		t.Fatal(err)
	}
	return made, u.Path, u.RequestURI(), u.Query().Get("code")
}

// open follows a link and presses its button.
func (b *browser) open(path, at, code string) int {
	b.Helper()
	res, _ := b.do("POST", "/open-link", b.look(at, code))
	return res.StatusCode
}

// The way of a teacher who was sent a link to a report: it opens in one browser, shows what it is bound to and
// nothing else, keeps no secret in an address, and ends when it is revoked.
func TestAReportLinkOpensInOneBrowser(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.submitOne(t)
	w.app.Project(t)
	version := w.home.EvaluationVersion.String()
	made, path, at, code := w.reportLink(t, map[string]any{"report": "evaluation_summary", "evaluationVersionId": version, "run_label": ""})
	mine, other := w.browser(t), w.browser(t)
	if res, text := mine.do("GET", path, ""); res.StatusCode != 401 || !strings.Contains(text, "does not open") {
		t.Errorf("without a code: %d %s", res.StatusCode, text)
	}
	if res, text := other.do("GET", at, ""); res.StatusCode != 200 || !strings.Contains(text, "A report to read") || res.Header.Get("Referrer-Policy") != "no-referrer" || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the door: %d %v %s", res.StatusCode, res.Header, text)
	}
	if status := mine.open(path, at, code); status != 303 {
		t.Errorf("the button: %d", status)
	}
	res, text := mine.do("GET", path, "")
	for _, part := range []string{"Evaluation summary", "Sections", "Only attempts without a run", "</html>"} {
		if !strings.Contains(text, part) {
			t.Errorf("the page lacks %q: %d %s", part, res.StatusCode, text)
		}
	}
	if strings.Contains(text, code) || !strings.Contains(res.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the page holds a secret, or may be kept: %v", res.Header)
	}
	if status := other.open(path, at, code); status == 303 {
		t.Error("a second browser got in")
	}
	_, second, secondAt, secondCode := w.reportLink(t, map[string]any{"report": "question_health"})
	if res, _ := mine.do("GET", second, ""); res.StatusCode != 401 {
		t.Errorf("the link of another report: %d", res.StatusCode)
	}
	if status := mine.open(path, strings.Replace(secondAt, second, path, 1), secondCode); status == 303 {
		t.Error("a code opened another page than its own")
	}
	all := answer[db.List[reportlink.Link]](t, w.do(t, http.MethodGet, "/reporting/links", nil), http.StatusOK)
	at1 := -1
	for i, l := range all.Items {
		if l.ID == made.ID {
			at1 = i
		}
	}
	if at1 < 0 || all.Items[at1].Uses != 1 || all.Items[at1].OpenedAt == nil || all.Items[at1].State != "active" || *all.Items[at1].RunLabel != "" {
		t.Errorf("the list has %+v", all.Items)
	}
	for range 2 {
		if got := w.do(t, http.MethodDelete, "/reporting/links/"+made.ID.String(), nil); got.status != http.StatusNoContent {
			t.Errorf("revoke: %d %s", got.status, got.body)
		}
	}
	if res, text := mine.do("GET", path, ""); res.StatusCode != 401 || strings.Contains(text, "Evaluation summary") {
		t.Errorf("after it was revoked: %d", res.StatusCode)
	}
	var kinds []string
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select array_agg(event_type order by seq) from ledger_events where tenant_id = $1 and subject_id = $2", tx.Tenant(), made.ID).Scan(&kinds)
	})
	if strings.Join(kinds, " ") != "report_link.created report_link.opened report_link.revoked" {
		t.Errorf("the ledger has %v", kinds)
	}
}

// A teacher follows the link in a real browser, on a phone and on a desk, and no address that the browser keeps
// has the code.
func TestATeacherReadsAReport(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.submitOne(t)
	w.app.Project(t)
	for name, look := range map[string]chromium.Look{"1280": {}, "390": {Width: 390, Dark: true}} {
		_, path, at, code := w.reportLink(t, map[string]any{"report": "evaluation_summary", "evaluationVersionId": w.home.EvaluationVersion.String()})
		p := chromium.Open(t, look)
		p.Visit(w.app.URL + at)
		p.See("A report to read")
		p.Accessible()
		p.Picture("report-door-" + name)
		p.Click("button=Open")
		p.See("How they were handed in")
		p.Accessible()
		p.Fits()
		p.Picture("report-link-" + name)
		p.Reload()
		p.See("How they were handed in")
		if kept := strings.Join(p.History(), " "); strings.Contains(kept, code) || !strings.Contains(kept, path) {
			t.Errorf("the history has %s", kept)
		}
		for _, r := range p.Requests() {
			if strings.Contains(r.Referrer, code) {
				t.Errorf("%s was told the code", r.URL)
			}
		}
	}
}

// A link shows only reports that its maker may read: no link can be made to others, and a link goes blind with its maker.
func TestAReportLinkIsItsMakers(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.submitOne(t)
	w.app.Project(t)
	version := w.home.EvaluationVersion.String()
	for name, body := range map[string]map[string]any{
		"no version":        {"report": "groups"},
		"no question":       {"report": "question"},
		"a foreign filter":  {"report": "evaluation_summary", "evaluationVersionId": version, "sort": "most_drift"},
		"a period backward": {"report": "question_health", "from": "2031-02-01T00:00:00Z", "to": "2031-01-01T00:00:00Z"},
		"over already":      {"report": "question_health", "expiresAt": "2020-01-01T00:00:00Z"},
	} {
		if got := w.do(t, http.MethodPost, "/reporting/links", body); got.status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	want(t, w.do(t, http.MethodPost, "/reporting/links", map[string]any{"report": "evaluation_summary", "evaluationVersionId": ids.New()}), 404, errs.NotFound)
	made, path, at, code := w.reportLink(t, map[string]any{"report": "question_health", "evaluationVersionId": version})
	mine := w.browser(t)
	mine.open(path, at, code)
	if res, text := mine.do("GET", path, ""); res.StatusCode != 200 || !strings.Contains(text, "Question health") {
		t.Fatalf("the page: %d %s", res.StatusCode, text)
	}
	maker, isUser := strings.CutPrefix(made.CreatedBy, "user:")
	if !isUser {
		t.Fatalf("made by %s", made.CreatedBy)
	}
	for _, step := range []struct {
		state  string
		status int
	}{{"deactivated", 401}, {"active", 200}} {
		sample.ChangeAccess(t, w.app.Store, w.app.Scope, "update users set status = $3 where tenant_id = $1 and id = $2", maker, step.state)
		// A process that keeps grants in memory hears of the change a moment later.
		got, text := 0, ""
		for tries := 0; tries < 1000 && got != step.status; tries++ {
			res, body := mine.do("GET", path, "")
			got, text = res.StatusCode, body
			if got == http.StatusTooManyRequests {
				t.Fatalf("its maker is %s, and the page is still there", step.state)
			}
			time.Sleep(10 * time.Millisecond)
		}
		if got != step.status {
			t.Errorf("its maker is %s: %d %s", step.state, got, text)
		}
	}
}

// Somebody who may not read questions hands on figures, but neither the texts of questions nor the right options.
func TestAReportLinkShowsNoQuestionThatItsMakerMayNotRead(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.submitOne(t)
	w.app.Project(t)
	version := w.home.EvaluationVersion.String()
	all := answer[reporting.HealthList](t, w.do(t, http.MethodGet, "/reporting/question-health?evaluationVersionId="+version, nil), http.StatusOK)
	var q reporting.QuestionHealthDetail
	for _, row := range all.Items {
		d := answer[reporting.QuestionHealthDetail](t, w.do(t, http.MethodGet, "/reporting/question-versions/"+row.QuestionVersionID.String()+"/health", nil), http.StatusOK)
		if d.Stem != "" && d.Analysis.ChoiceSingle != nil {
			q = d
		}
	}
	if q.Stem == "" {
		t.Fatal("no question with options was attempted")
	}
	makers := map[bool]string{false: w.holder(t, capability.ReportingView), true: w.holder(t, capability.ReportingView, capability.QuestionsRead)}
	for reads, token := range makers {
		for report, subject := range map[string]map[string]any{
			"list":     {"report": "question_health", "evaluationVersionId": version},
			"question": {"report": "question", "questionVersionId": q.QuestionVersionID},
		} {
			got := w.send(t, request{method: http.MethodPost, path: "/reporting/links", token: token, key: ids.New().String(), body: subject})
			u, err := url.Parse(answer[reportlink.Issued](t, got, http.StatusCreated).OpenURL)
			if err != nil {
				t.Fatal(err)
			}
			mine := w.browser(t)
			mine.open(u.Path, u.RequestURI(), u.Query().Get("code"))
			res, text := mine.do("GET", u.Path, "")
			if res.StatusCode != http.StatusOK {
				t.Fatalf("the %s: %d %s", report, res.StatusCode, text)
			}
			if strings.Contains(text, q.Stem) != reads {
				t.Errorf("the %s, made with questions.read %t: the stem is there %t", report, reads, !reads)
			}
			options := q.Analysis.ChoiceSingle.Options
			if shows := strings.Contains(text, options[len(options)-1].Text); report == "question" && shows != reads {
				t.Errorf("the question, made with questions.read %t: its options are there %t", reads, shows)
			}
		}
	}
}
