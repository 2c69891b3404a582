package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"assess/config"
	"assess/pkg/dev/apptest"
	"assess/pkg/dev/browser"
	"assess/pkg/dev/peer"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/idp"
	"assess/pkg/people/people"
)

// A candidate comes from the exam's page over the institution's provider, in a real browser, and hands the exam in. When the provider
// is away then, the session goes on, and who signs in anew is told why that does not work.
func TestACandidateGetsOverTheProviderToTheSubmittedExam(t *testing.T) {
	t.Parallel()
	provider := peer.Start(t)
	page := browser.Open(t, browser.Look{Trust: provider.Key})
	front := httptest.NewUnstartedServer(nil) // its address is known before the service runs
	base := "http://" + front.Listener.Addr().String()
	c := serveClient(t, base+"/api/v1")
	house := apptest.Start(t, func(settings *config.Config) {
		settings.HTTP.BaseURL, settings.HTTP.CORSOrigins, settings.Auth.AppURL = base, []string{strings.TrimSuffix(c.url, "/")}, c.url
	})
	log := &said{}
	house.Log = log
	app := house.Calling(t, provider.Client())
	to, err := url.Parse(app.URL)
	if err != nil {
		t.Fatal(err)
	}
	front.Config.Handler = httputil.NewSingleHostReverseProxy(to)
	front.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	front.Start()
	t.Cleanup(front.Close)

	provider.Register(t, map[string]any{"client_id": "assess", "client_secret": "hunter2hunter2", "redirect_uris": []string{base + idp.CallbackPath}})
	var tenant string
	var exam ids.ID
	sample.Write(t, app.Store, app.Scope, func(tx *db.Tx) error {
		made, err := idp.Create(t.Context(), tx, idp.Input{Slug: "campus", Name: "North College", Issuer: provider.Issuer, ClientID: "assess", EmailTrust: idp.TrustVerified,
			Domains: []string{"north.example"}, OrgUnitID: app.OrgUnit})
		if err == nil {
			_, err = idp.SetSecret(t.Context(), tx, app.Authority, made.ID, idp.Secret{Secret: "hunter2hunter2"})
		}
		if err == nil {
			_, err = people.CreateUser(t.Context(), tx, people.UserInput{Email: "ada@north.example", Name: "Ada", Roles: []string{capability.Candidate}, OrgUnits: []string{app.OrgUnit.String()}})
		}
		if err != nil {
			return err
		}
		exam = sample.Evaluation(t, tx, sample.Question(t, tx, "A").ID).ID
		return tx.QueryRow(t.Context(), "select slug from tenants where id = $1", tx.Tenant()).Scan(&tenant)
	})
	assign(t, app, exam, "ada@north.example")

	page.Visit(c.url + "#tenant=" + tenant)
	page.Click("button=Sign in with North College")
	page.See("The provider")
	page.Fill("input[name=login]", "ada")
	page.Click("button=Enter")
	page.See("Hello Ada")
	page.Accessible()
	page.Click("button=Start")
	page.See("Question 1 of 1")
	page.Click("input[value=A]")
	page.See("Everything is saved.")
	provider.Stop()
	page.Reload()
	page.Has("input[value=A]:checked")
	page.Click("button=To the end")
	page.Click("button=Submit my answers")
	page.See("Your answers are submitted")
	if n := submissionsOf(t, app, exam, "ada@north.example"); n != 1 {
		t.Errorf("%d submissions, want 1", n)
	}
	for _, address := range page.History() {
		if strings.Contains(address, "code=") && strings.HasPrefix(address, c.url) {
			t.Errorf("the browser keeps %s", address)
		}
	}

	if !strings.Contains(log.String(), idp.CallbackPath) {
		t.Errorf("the log does not tell of the sign-in: %s", log.String())
	}
	checkNoSecrets(t, "the log", []string{"north.example", "Ada", "ada@", "hunter2", "code=", "state=", "eyJ"}, strings.Split(log.String(), "\n"))

	// Another process of the service knows nothing of the provider yet.
	cold := app.Calling(t, provider.Client())
	q := url.Values{"tenant": {tenant}, "redirectUri": {c.url}, "codeChallenge": {strings.Repeat("x", 43)}}
	res, err := http.Get(cold.URL + "/api/v1/auth/oidc/campus/start?" + q.Encode()) //nolint:noctx // it ends with the test
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(text), `"reason":"it cannot be reached"`) {
		t.Errorf("a provider that is away: got %d %s", res.StatusCode, text)
	}
}

// said keeps a log that goes on.
type said struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func assign(t *testing.T, app *apptest.App, exam ids.ID, email string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"evaluationId": exam, "target_type": "email", "target_ref": email})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, app.URL+"/api/v1/assignments", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + app.Token(t, capability.OrgAdmin), "Content-Type": "application/json", "Idempotency-Key": ids.New().String()} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if res.StatusCode != http.StatusCreated {
		t.Fatalf("assign: %d %s", res.StatusCode, text)
	}
}

func submissionsOf(t *testing.T, app *apptest.App, exam ids.ID, email string) (n int) {
	t.Helper()
	sample.Write(t, app.Store, app.Scope, func(tx *db.Tx) error {
		user, err := people.UserByEmail(t.Context(), tx, email)
		if err != nil {
			return err
		}
		return tx.QueryRow(t.Context(), "select count(*) from submissions where tenant_id = $1 and evaluation_id = $2 and user_id = $3", tx.Tenant(), exam, user.ID).Scan(&n)
	})
	return n
}
