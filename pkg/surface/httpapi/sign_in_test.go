package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"assess/pkg/dev/apptest"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
)

func TestVerifyPageRedeemsNothingUntilTheButtonIsPressed(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	res, text := fetch(t, http.MethodGet, app.URL+`/api/v1/auth/verify?token=%22%3E%3Cscript%3E`, map[string]string{"Accept": "text/html,*/*"}, nil)
	if res.StatusCode != 200 || !strings.Contains(text, "<button>") || strings.Contains(text, "<script>") {
		t.Errorf("got %d %s", res.StatusCode, text)
	}
	if !strings.Contains(res.Header.Get("Content-Security-Policy"), "default-src 'none'") || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", res.Header)
	}
	res, text = fetch(t, http.MethodPost, app.URL+"/api/v1/auth/verify", map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		strings.NewReader(url.Values{"token": {"unknown"}}.Encode()))
	if res.StatusCode != 401 || !strings.Contains(text, "did not work") {
		t.Errorf("got %d %s", res.StatusCode, text)
	}
	res, text = fetch(t, http.MethodGet, app.URL+"/api/v1/auth/verify?token=unknown", map[string]string{"Accept": "application/json"}, nil)
	if res.StatusCode != 401 || !strings.Contains(text, string(errs.LinkInvalid)) {
		t.Errorf("got %d %s", res.StatusCode, text)
	}
}

func TestLoginAnswersTheSameForEverybodyAndIsLimited(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	app.Token(t, capability.Candidate)
	bodies := map[string]bool{}
	var last *http.Response
	for range 6 {
		res, text := fetch(t, http.MethodPost, app.URL+"/api/v1/auth/login", map[string]string{"Content-Type": "application/json"},
			strings.NewReader(`{"tenant":"nobody-here","email":"Nobody@Example.org"}`))
		if res.StatusCode == http.StatusAccepted {
			bodies[text] = true
		}
		last = res
	}
	if len(bodies) != 1 {
		t.Errorf("got %d different answers, want 1", len(bodies))
	}
	if last.StatusCode != http.StatusTooManyRequests || last.Header.Get("Retry-After") == "" {
		t.Errorf("the sixth call in a minute: got %d, Retry-After %q", last.StatusCode, last.Header.Get("Retry-After"))
	}
}
