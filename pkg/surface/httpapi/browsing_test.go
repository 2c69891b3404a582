package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
	"assess/pkg/surface/httpapi"
)

// cookie is what a browser of the staff sends when somebody goes to an address.
func cookie(token string) map[string]string {
	return map[string]string{"Accept": "text/html,application/xhtml+xml,*/*;q=0.8", "Cookie": "__Host-assess=" + token}
}

// The cookie of a browser opens pages, with the rights and the reach of its token, and all other routes take it for nobody's:
// nothing is written with it.
func TestACookieOpensPagesAndNothingElse(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.app.Project(t)
	candidate, pages := w.app.Token(t, capability.Candidate), 0
	for _, l := range httpapi.Lines() {
		if l.Public || strings.HasPrefix(l.Path, "/glass") { // the door of a link is a page as well, with tests of its own
			continue
		}
		r := w.valid(t, l, w.home)
		r.token, r.proof, r.header = "", "", cookie(w.home.caller(l).Token)
		got := w.send(t, r)
		if !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
			want(t, got, http.StatusUnauthorized, errs.Unauthenticated)
			continue
		}
		pages++
		if l.Method != http.MethodGet || got.status != http.StatusOK || !strings.Contains(string(got.body), `aria-label="Pages"`) {
			t.Errorf("%s %s: %d", l.Method, l.Path, got.status)
		}
		r.header = cookie(candidate)
		want(t, w.send(t, r), http.StatusForbidden, errs.Forbidden)
		r.header = cookie(w.home.caller(l).Token)
		r.header["Sec-Fetch-Mode"] = "cors" // a script
		want(t, w.send(t, r), http.StatusUnauthorized, errs.Unauthenticated)
		r.header = cookie("nobody's")
		want(t, w.send(t, r), http.StatusUnauthorized, errs.Unauthenticated)
		away := w.valid(t, l, w.elsewhere)
		if !strings.Contains(away.path, w.elsewhere.EvaluationVersion.String()) && !strings.Contains(away.path, w.elsewhere.Submission.String()) && !strings.Contains(away.path, w.elsewhere.User.String()) {
			continue
		}
		away.token, away.header = "", cookie(w.home.caller(l).Token)
		if got := w.send(t, away); got.status != http.StatusNotFound && strings.Contains(string(got.body), w.elsewhere.Submission.String()) {
			t.Errorf("%s: a page of another tenant: %d", away.path, got.status)
		}
	}
	if pages < 9 {
		t.Errorf("there are %d pages", pages)
	}
}

// What goes wrong is a page for people in a browser, with a way on; scripts and programs get JSON.
func TestProblemsArePagesForBrowsers(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	navigate := func(path, token string) (*http.Response, string) {
		header := map[string]string{"Accept": "text/html", "Sec-Fetch-Mode": "navigate"}
		if token != "" {
			header["Cookie"] = "__Host-assess=" + token
		}
		return fetch(t, http.MethodGet, w.app.URL+path, header, nil)
	}
	for _, tt := range []struct {
		path, token string
		status      int
		says        string
	}{
		{"/api/v1/reporting/evaluations", "", 401, "Sign in to see this page"},
		{"/api/v1/reporting/evaluations", w.app.Token(t, capability.Candidate), 403, "This page is not for you"},
		{"/api/v1/reporting/evaluation-summary?evaluationVersionId=" + w.elsewhere.EvaluationVersion.String(), w.home.Token, 404, "There is no such page"},
		{"/nowhere", "", 404, "There is no such page"},
	} {
		res, text := navigate(tt.path, tt.token)
		if res.StatusCode != tt.status || !strings.Contains(text, tt.says) || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") ||
			!strings.Contains(res.Header.Get("Content-Security-Policy"), "style-src 'unsafe-inline'") || !strings.Contains(text, `class="button" href="/`) {
			t.Errorf("%s: %d %v\n%.500s", tt.path, res.StatusCode, res.Header, text)
		}
	}
}

// No other site signs a browser out.
func TestNoOtherSiteSignsOut(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	res, _ := fetch(t, http.MethodPost, w.app.URL+"/sign-out", map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site", "Cookie": "__Host-assess=x"}, nil)
	if res.StatusCode != http.StatusNotFound || len(res.Cookies()) > 0 {
		t.Errorf("another site: %d %v", res.StatusCode, res.Cookies())
	}
	res, _ = fetch(t, http.MethodPost, w.app.URL+"/sign-out", map[string]string{"Sec-Fetch-Site": "same-origin", "Cookie": "__Host-assess=x"}, nil)
	if res.StatusCode != http.StatusSeeOther || len(res.Cookies()) != 2 { // the token, and the proof beside it
		t.Errorf("the page: %d %v", res.StatusCode, res.Cookies())
	}
	for _, c := range res.Cookies() {
		if c.MaxAge >= 0 || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" {
			t.Errorf("the page leaves %v", c)
		}
	}
}
