package httpapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"assess/config"
	"assess/pkg/dev/apptest"
	chromium "assess/pkg/dev/browser"
	"assess/pkg/kernel/build"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/httpapi"
)

func fetch(t *testing.T, method, url string, header map[string]string, body io.Reader) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(text)
}

func TestUnknownRouteAndMethodHaveTheErrorBody(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	for _, c := range []struct {
		method, path string
		status       int
		code         errs.Code
	}{
		{http.MethodGet, "/nowhere", 404, errs.RouteNotFound},
		{http.MethodGet, "/api/v1/nowhere", 404, errs.RouteNotFound},
		{http.MethodGet, "/api/v1/questions/", 404, errs.RouteNotFound},
		{http.MethodPost, "/api/v1/auth/request-link/", 404, errs.RouteNotFound},
		{http.MethodGet, "/docs/", 404, errs.RouteNotFound},
		{http.MethodGet, "/healthz/", 404, errs.RouteNotFound},
		{http.MethodDelete, "/api/v1/questions", 405, errs.MethodNotAllowed},
	} {
		res, text := fetch(t, c.method, app.URL+c.path, nil, nil)
		var p httpapi.Problem
		err := json.Unmarshal([]byte(text), &p)
		if err != nil || res.StatusCode != c.status || p.Code != c.code {
			t.Errorf("%s %s: got %d %s", c.method, c.path, res.StatusCode, text)
		}
	}
}

func TestRequestIDIsEchoedOrMade(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	for sent, same := range map[string]bool{"01a212c8-81c4-7c15-b5d3-f59c0aabc7f8": true, "": false, "Otto-Zander": false, "otto@example.org": false, "with space": false, strings.Repeat("a", 101): false} {
		res, _ := fetch(t, http.MethodGet, app.URL+"/healthz", map[string]string{"X-Request-Id": sent}, nil)
		got := res.Header.Get("X-Request-Id")
		if got == "" || (got == sent) != same {
			t.Errorf("sent %q, got %q", sent, got)
		}
	}
}

func TestHealthNamesTheBuild(t *testing.T) {
	t.Parallel()
	res, text := fetch(t, http.MethodGet, apptest.Start(t).URL+"/healthz", nil, nil)
	want := fmt.Sprintf(`{"commit":%q,"status":"ok","version":%q}`, build.This().Commit, build.This().Version)
	if res.StatusCode != 200 || text != want {
		t.Errorf("got %d %s, want %s", res.StatusCode, text, want)
	}
}

func TestRequestIDStandsInTheLedger(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	id := ids.New().String()
	res, text := fetch(t, http.MethodPost, w.app.URL+"/api/v1/taxonomy/facets", map[string]string{
		"Authorization": "Bearer " + w.home.Token, "Idempotency-Key": "k", "Content-Type": "application/json", "X-Request-Id": id},
		strings.NewReader(`{"label":"Traced"}`))
	if res.StatusCode != 201 {
		t.Fatal(text)
	}
	err := w.app.Store.Read(t.Context(), w.app.Scope, func(tx *db.Tx) error {
		var event, actor string
		err := tx.QueryRow(t.Context(), "select event_type, actor from ledger_events where tenant_id = $1 and request_id = $2", tx.Tenant(), id).Scan(&event, &actor)
		if event != "facet.created" || actor != "user:"+w.home.Actor.String() {
			t.Errorf("got %s by %s", event, actor)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCORSFollowsTheSettings(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t, func(c *config.Config) { c.HTTP.CORSOrigins = []string{"https://client.example"} })
	for origin, allowed := range map[string]string{"https://client.example": "https://client.example", "https://evil.example": ""} {
		res, _ := fetch(t, http.MethodOptions, app.URL+"/api/v1/questions", map[string]string{"Origin": origin,
			"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "Idempotency-Key"}, nil)
		if got := res.Header.Get("Access-Control-Allow-Origin"); got != allowed {
			t.Errorf("%s: got %q, want %q", origin, got, allowed)
		}
	}
	res, _ := fetch(t, http.MethodGet, apptest.Start(t).URL+"/healthz", map[string]string{"Origin": "https://client.example"}, nil)
	if got := res.Header.Get("Access-Control-Allow-Origin"); got != "" {
		t.Errorf("without settings: got %q", got)
	}
}

// The button of a page that sends no referrer comes with the origin "null", and the browser says from which site.
func TestTheButtonOfALinkIsNotRefusedAsAForeignOrigin(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t, func(c *config.Config) { c.HTTP.CORSOrigins = []string{"https://client.example"} })
	for origin, want := range map[string]int{"null": http.StatusUnauthorized, "https://evil.example": http.StatusForbidden} {
		res, _ := fetch(t, http.MethodPost, app.URL+"/api/v1/auth/verify",
			map[string]string{"Origin": origin, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"}, strings.NewReader("token=unknown"))
		if res.StatusCode != want || res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d, %v", origin, res.StatusCode, res.Header)
		}
	}
}

func TestLargeAnswersAreCompressed(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	res, _ := fetch(t, http.MethodGet, app.URL+"/openapi.json", map[string]string{"Accept-Encoding": "gzip"}, nil)
	if res.Header.Get("Content-Encoding") != "gzip" {
		t.Error("the description came uncompressed")
	}
	res, _ = fetch(t, http.MethodGet, app.URL+"/openapi.json", map[string]string{"Accept-Encoding": "identity"}, nil)
	if res.Header.Get("Content-Encoding") != "" {
		t.Error("compressed for a client that cannot read it")
	}
}

func TestDocsWorkOffline(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	res, text := fetch(t, http.MethodGet, app.URL+"/docs", nil, nil)
	if res.StatusCode != 200 || strings.Contains(text, "//cdn") || strings.Contains(text, "https://") {
		t.Errorf("got %d: %s", res.StatusCode, text)
	}
	for _, asset := range regexp.MustCompile(`/docs/assets/[\w.-]+`).FindAllString(text, -1) {
		res, _ := fetch(t, http.MethodGet, app.URL+asset, nil, nil)
		if res.StatusCode != 200 {
			t.Errorf("%s: got %d", asset, res.StatusCode)
		}
	}
}

// The reference of all calls takes seconds to draw; nobody waits for the first chapter.
func TestTheFirstChapterIsReadBeforeTheReferenceIsDrawn(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	_, text := fetch(t, http.MethodGet, app.URL+"/docs", nil, nil)
	if !strings.Contains(text, "Getting started</h2>") {
		t.Fatalf("the page comes without its first chapter: %s", text)
	}
	b := chromium.Open(t, chromium.Look{})
	b.Visit(app.URL + "/docs")
	b.Await("!document.getElementById('introduction')", "the reference")
	b.See("Getting started")
	b.See("Assignments")
}

func TestReadyzTellsDatabaseMigrationsAndLag(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	res, text := fetch(t, http.MethodGet, app.URL+"/readyz", nil, nil)
	if res.StatusCode != 200 || !strings.Contains(text, `"lagMs"`) || !strings.Contains(text, `"migrations":"ok"`) {
		t.Errorf("got %d %s", res.StatusCode, text)
	}
}

func TestMetricsNameRoutesAndNoIDs(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.send(t, request{method: http.MethodGet, path: "/questions/" + w.home.Question.String(), token: w.home.Token})
	_, text := fetch(t, http.MethodGet, w.app.URL+"/metrics", nil, nil)
	for _, name := range []string{`route="/api/v1/questions/:id"`, "assessd_projection_lag_seconds", "assessd_db_connections"} {
		if !strings.Contains(text, name) {
			t.Errorf("%s is missing", name)
		}
	}
	if strings.Contains(text, w.home.Question.String()) {
		t.Error("a label holds an id")
	}
}

func TestUnknownQueryParametersAreRefused(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for _, q := range []string{"limit=0", "limit=201", "page=0", "page=x", "nosuch=1", "status=open"} {
		got := w.send(t, request{method: http.MethodGet, path: "/questions?" + q, token: w.home.Token})
		if got.problem.Code != errs.ValidationFailed {
			t.Errorf("%s: got %d %s", q, got.status, got.body)
		}
		fields, _ := json.Marshal(got.problem.Details["fields"])
		if !strings.Contains(string(fields), `"`+strings.Split(q, "=")[0]+`"`) {
			t.Errorf("%s: the fields do not name the parameter: %s", q, fields)
		}
	}
}
