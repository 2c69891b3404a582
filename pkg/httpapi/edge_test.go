package httpapi_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"assess/config"
	"assess/pkg/apptest"
	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/golden"
	"assess/pkg/httpapi"
	"assess/pkg/ids"
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
	for sent, same := range map[string]bool{"my-request-1": true, "": false, "with space": false, strings.Repeat("a", 101): false} {
		res, _ := fetch(t, http.MethodGet, app.URL+"/healthz", map[string]string{"X-Request-Id": sent}, nil)
		got := res.Header.Get("X-Request-Id")
		if got == "" || (got == sent) != same {
			t.Errorf("sent %q, got %q", sent, got)
		}
	}
}

func TestRequestIDStandsInTheLedger(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	id := "trace-" + ids.New().String()
	res, text := fetch(t, http.MethodPost, w.app.URL+"/api/v1/taxonomy/facets", map[string]string{
		"Authorization": "Bearer " + w.home.Token, "Idempotency-Key": "k", "Content-Type": "application/json", "X-Request-Id": id},
		strings.NewReader(`{"label":"Traced"}`))
	if res.StatusCode != 201 {
		t.Fatal(text)
	}
	err := w.app.Store.Read(t.Context(), w.app.Scope, func(tx *db.Tx) error {
		var event, actor string
		err := tx.QueryRow(t.Context(), "select event_type, actor from ledger_events where request_id = $1", id).Scan(&event, &actor)
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

func TestImportTakesBothForms(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	text := "email\nnew-" + ids.New().String() + "@example.org\n"
	for name, r := range map[string]request{
		"text/csv":          {contentType: "text/csv", body: text},
		"text/csv; charset": {contentType: "text/csv; charset=utf-8", body: text},
		"application/json":  {contentType: "application/json", body: map[string]any{"csv": text}},
	} {
		r.method, r.path, r.token = http.MethodPost, "/users/import/preview", w.home.Token
		got := w.send(t, r)
		var p struct {
			Total  int
			Errors []any
		}
		err := json.Unmarshal(got.body, &p)
		if err != nil || got.status != 200 || p.Total != 1 || p.Errors == nil {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
		}
	}
	for name, c := range map[string]struct {
		r    request
		code errs.Code
	}{
		"another media type": {request{contentType: "application/xml", body: "<x/>"}, errs.UnsupportedMediaType},
		"JSON that is none":  {request{contentType: "application/json", body: `{"csv":`}, errs.MalformedRequest},
		"unknown JSON field": {request{contentType: "application/json", body: `{"csv":"email","x":1}`}, errs.MalformedRequest},
	} {
		c.r.method, c.r.path, c.r.token = http.MethodPost, "/users/import/preview", w.home.Token
		if got := w.send(t, c.r); got.problem.Code != c.code {
			t.Errorf("%s: got %d %s, want %s", name, got.status, got.body, c.code)
		}
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

func TestDescription(t *testing.T) {
	t.Parallel()
	asJSON, asYAML, err := httpapi.Describe("1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, asYAML, filepath.Join("..", "..", "docs", "openapi.yaml"))
	document, err := openapi3.NewLoader().LoadFromData(asJSON)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(document.OpenAPI, "3.1") {
		t.Errorf("version %s, want 3.1", document.OpenAPI)
	}
	for _, l := range httpapi.Lines() {
		item := document.Paths.Value("/api/v1" + l.Path)
		if item == nil || item.GetOperation(l.Method) == nil {
			t.Errorf("%s %s is not described", l.Method, l.Path)
			continue
		}
		op := item.GetOperation(l.Method)
		if op.Summary == "" || op.Responses.Default() == nil {
			t.Errorf("%s %s: no summary or no error answer", l.Method, l.Path)
		}
	}
	for _, e := range errs.Catalogue {
		if !bytes.Contains(asJSON, []byte("`"+string(e.Code)+"`")) {
			t.Errorf("%s is not in the description", e.Code)
		}
	}
}

func TestRouteList(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("| method | path | needs | key |\n|---|---|---|---|\n")
	for _, l := range httpapi.Lines() {
		var caps []string
		for _, c := range l.Needs {
			caps = append(caps, string(c))
		}
		key := ""
		if l.Once {
			key = "yes"
		}
		b.WriteString("| " + l.Method + " | /api/v1" + l.Path + " | " + strings.Join(caps, " or ") + " | " + key + " |\n")
	}
	golden.Check(t, []byte(b.String()), filepath.Join("..", "..", "docs", "routes.md"))
}

func TestErrorCatalogueIsComplete(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../errs/codes.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\s+\w+\s+Code = "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		if !slices.ContainsFunc(errs.Catalogue, func(e errs.Entry) bool { return string(e.Code) == m[1] && e.Meaning != "" }) {
			t.Errorf("%s is not in the catalogue", m[1])
		}
	}
}
