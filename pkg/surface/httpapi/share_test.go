package httpapi_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

var hidden = regexp.MustCompile(`name="(of|proof|once|link)" value="([^"]*)"`)

// shareForm gives the values that the form of the page sends, with somebody's choices.
func shareForm(page string, chosen url.Values) url.Values {
	form := url.Values{}
	for _, m := range hidden.FindAllStringSubmatch(page, -1) {
		form.Set(m[1], strings.ReplaceAll(m[2], "&amp;", "&"))
	}
	for name, values := range chosen {
		form[name] = values
	}
	return form
}

// form posts a form of a page with the cookie of a browser.
func (w *town) form(t *testing.T, path, token string, form url.Values, header map[string]string) (*http.Response, string) {
	t.Helper()
	all := map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "same-origin", "Cookie": "__Host-assess=" + token}
	for name, value := range header {
		all[name] = value
	}
	return fetch(t, http.MethodPost, w.app.URL+path, all, strings.NewReader(form.Encode()))
}

func (w *town) links(t *testing.T) (n int) {
	t.Helper()
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select count(*) from link_principals where tenant_id = $1", tx.Tenant()).Scan(&n)
	})
	return n
}

// A form makes a link for the person who is signed in, once, and ends it; it makes none without the proof of the page, from another
// site, for somebody without the capability, or about something that is out of reach.
func TestAFormSharesWhatItsPersonMay(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.app.Project(t)
	for name, what := range map[string]struct {
		of     func(place) string
		chosen url.Values
	}{
		"a report": {func(p place) string {
			return "report=evaluation_summary&evaluationVersionId=" + p.EvaluationVersion.String()
		}, url.Values{"days": {"7"}}},
		"a glass box": {func(p place) string { return "submission=" + p.Submission.String() }, url.Values{"days": {"1"}, "evidence": {"none"}}},
	} {
		t.Run(name, func(t *testing.T) {
			at := "/share?" + what.of(w.home)
			see := func(at, token string) (*http.Response, string) {
				return fetch(t, http.MethodGet, w.app.URL+at, map[string]string{"Accept": "text/html", "Sec-Fetch-Mode": "navigate", "Cookie": "__Host-assess=" + token}, nil)
			}
			res, page := see(at, w.home.Token)
			if res.StatusCode != http.StatusOK || res.Header.Get("Cache-Control") != "no-store" {
				t.Fatalf("the page: %d %v\n%s", res.StatusCode, res.Header, page)
			}
			before, form := w.links(t), shareForm(page, what.chosen)
			candidate := w.app.Token(t, capability.Candidate)
			if res, _ := see(at, candidate); res.StatusCode != http.StatusForbidden {
				t.Errorf("a candidate sees the page: %d", res.StatusCode)
			}
			for _, far := range []place{w.nextDoor, w.elsewhere} {
				if res, page := see("/share?"+what.of(far), w.home.Token); res.StatusCode != http.StatusNotFound {
					t.Errorf("out of reach: %d %s", res.StatusCode, page)
				}
			}
			refused := func(why, token string, form url.Values, header map[string]string, status int) {
				t.Helper()
				if res, text := w.form(t, "/share", token, form, header); res.StatusCode != status || strings.Contains(text, "?code=") {
					t.Errorf("%s: %d %s", why, res.StatusCode, text)
				}
			}
			without := shareForm(page, what.chosen)
			without.Set("proof", "x")
			refused("without the proof", w.home.Token, without, nil, http.StatusForbidden)
			refused("with the proof of somebody else", candidate, form, nil, http.StatusForbidden)
			refused("from another site", w.home.Token, form, map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, http.StatusNotFound)
			refused("signed out", "", form, nil, http.StatusUnauthorized)
			away := shareForm(page, what.chosen)
			away.Set("of", what.of(w.elsewhere))
			refused("about another tenant", w.home.Token, away, nil, http.StatusNotFound)
			if n := w.links(t); n != before {
				t.Errorf("%d links were made by what was refused", n-before)
			}
			for range 2 { // a double click
				if res, text := w.form(t, "/share", w.home.Token, form, nil); res.StatusCode != http.StatusOK || !strings.Contains(text, "?code=") {
					t.Fatalf("the button: %d %s", res.StatusCode, text)
				}
			}
			if n := w.links(t); n != before+1 {
				t.Fatalf("%d links were made, want 1", n-before)
			}
			_, page = see(at, w.home.Token)
			if strings.Contains(page, "?code=") {
				t.Error("the address of a link is shown twice")
			}
			end := shareForm(page, nil)
			if _, err := ids.Parse("", end.Get("link")); err != nil {
				t.Fatalf("the page names no link: %s", page)
			}
			if res, text := w.form(t, "/share/end", w.home.Token, end, nil); res.StatusCode != http.StatusOK || strings.Contains(text, end.Get("link")) {
				t.Errorf("end it: %d %s", res.StatusCode, text)
			}
		})
	}
}
