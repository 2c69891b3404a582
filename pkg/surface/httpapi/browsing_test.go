package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"assess/pkg/dev/await"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/httpapi"
)

// cookie has the headers that a browser of the staff sends when somebody goes to an address.
func cookie(token string) map[string]string {
	return map[string]string{"Accept": "text/html,application/xhtml+xml,*/*;q=0.8", "Cookie": "__Host-assess=" + token}
}

// The cookie of a browser opens pages and takes their files along, with the rights and the reach of its token, and all other routes take
// it for nobody's: nothing is written with it.
func TestACookieOpensPagesAndNothingElse(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.app.Project(t)
	candidate, pages, files := w.app.Token(t, capability.Candidate), 0, 0
	for _, l := range httpapi.Lines() {
		if l.Public || strings.HasPrefix(l.Path, "/glass") { // the door of a link is a page as well, with tests of its own
			continue
		}
		r := w.valid(t, l, w.home)
		r.token, r.proof, r.header = "", "", cookie(w.home.caller(l).Token)
		got := w.send(t, r)
		page, file := strings.HasPrefix(got.header.Get("Content-Type"), "text/html"), strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment")
		if !page && !file {
			want(t, got, http.StatusUnauthorized, errs.Unauthenticated)
			continue
		}
		if page {
			pages++
		} else {
			files++
		}
		if l.Method != http.MethodGet || got.status != http.StatusOK || page && !strings.Contains(string(got.body), `aria-label="Pages"`) {
			t.Errorf("%s %s: %d", l.Method, l.Path, got.status)
		}
		r.header = cookie(candidate)
		want(t, w.send(t, r), http.StatusForbidden, errs.Forbidden)
		r.header = cookie(w.home.caller(l).Token)
		r.header["Sec-Fetch-Mode"] = "cors" // a script
		want(t, w.send(t, r), http.StatusUnauthorized, errs.Unauthenticated)
		r.header = cookie("nobody's")
		want(t, w.send(t, r), http.StatusUnauthorized, errs.Unauthenticated)
		if file { // no other site has somebody take it along
			r.header = cookie(w.home.caller(l).Token)
			r.header["Sec-Fetch-Site"] = "cross-site"
			want(t, w.send(t, r), http.StatusUnauthorized, errs.Unauthenticated)
		}
		w.reachesAsItsToken(t, l)
	}
	if pages < 11 || files < 6 {
		t.Errorf("there are %d pages and %d files", pages, files)
	}
}

// reachesAsItsToken uses the cookie for records in the own org unit, in another one, and in another tenant: it reaches as far as
// its token does, and reveals nothing beyond.
func (w *town) reachesAsItsToken(t *testing.T, l httpapi.Line) {
	t.Helper()
	token := w.home.caller(l).Token
	for name, of := range map[string]place{"here": w.home, "in another org unit": w.nextDoor, "in another tenant": w.elsewhere} {
		r := w.valid(t, l, of)
		r.token, r.proof = token, ""
		said := w.send(t, r)
		r.token, r.header = "", cookie(token)
		seen := w.send(t, r)
		if seen.status != said.status {
			t.Errorf("%s %s: %d with the cookie, %d with its token", name, r.path, seen.status, said.status)
		}
		for _, id := range []ids.ID{of.Submission, of.User, of.Evaluation, of.Group} {
			if name != "here" && !strings.Contains(r.path, id.String()) && strings.Contains(string(seen.body), id.String()) {
				t.Errorf("%s %s: the page has %s in it", name, r.path, id)
			}
		}
	}
}

// A failure is a page for people in a browser, with a way on; scripts and programs get JSON.
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

// Signing out ends the token, wherever else somebody may have it, and no other token of the same person: in the browser of the staff, and in
// any other client. A token that does not exist is no error, so that nobody learns which ones do.
func TestSigningOutEndsTheToken(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	other := w.tokenOf(t, w.home.Actor)
	read := func(token string) response {
		return w.send(t, request{method: http.MethodGet, path: "/users/me", token: token})
	}
	call := func(token string) {
		t.Helper()
		got := w.send(t, request{method: http.MethodPost, path: "/auth/sign-out", body: map[string]any{"token": token}})
		if got.status != http.StatusNoContent || len(got.body) != 0 {
			t.Errorf("sign out: %d %s", got.status, got.body)
		}
	}
	for name, out := range map[string]func(token string){
		"in a browser": func(token string) {
			fetch(t, http.MethodPost, w.app.URL+"/sign-out", map[string]string{"Sec-Fetch-Site": "same-origin", "Cookie": "__Host-assess=" + token}, nil)
		},
		"by a call": call,
	} {
		token := w.tokenOf(t, w.home.Actor)
		if got := read(token); got.status != http.StatusOK {
			t.Fatalf("%s, before: %d", name, got.status)
		}
		out(token)
		await.Until(t, "the process to hear of it", func() bool { return read(token).status == http.StatusUnauthorized })
		want(t, w.send(t, request{method: http.MethodPost, path: "/auth/refresh", token: token}), http.StatusUnauthorized, errs.Unauthenticated)
		call(token)
	}
	call("nobody's")
	for _, held := range []string{w.home.Token, other} {
		if got := read(held); got.status != http.StatusOK {
			t.Errorf("another token of the same person: %d", got.status)
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
	if res.StatusCode != http.StatusSeeOther || len(res.Cookies()) != 2 { // the token, and the proof next to it
		t.Errorf("the page: %d %v", res.StatusCode, res.Cookies())
	}
	for _, c := range res.Cookies() {
		if c.MaxAge >= 0 || !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteLaxMode || c.Path != "/" {
			t.Errorf("the page leaves %v", c)
		}
	}
}
