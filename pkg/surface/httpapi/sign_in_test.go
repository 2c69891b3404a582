package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/riverqueue/river"

	"assess/config"
	"assess/pkg/dev/apptest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

func TestVerifyPageRedeemsNothingUntilTheButtonIsPressed(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	res, text := fetch(t, http.MethodGet, app.URL+`/api/v1/auth/verify?token=%22%3E%3Cscript%3E`, map[string]string{"Accept": "text/html,*/*"}, nil)
	if res.StatusCode != 200 || !strings.Contains(text, "<button>") || strings.Contains(text, `"><script>`) {
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

// Mail scanners open links without saying which types they accept. That uses no link up.
func TestALinkIsRedeemedByNoGetThatDoesNotNameJSON(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t, func(c *config.Config) { c.Auth.AppURL = "https://app.example.org/start" })
	const bound = `,"redirectUri":"https://app.example.org/start","codeChallenge":"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"`
	for name, more := range map[string]string{"bound to a secret": bound, "bound to none": ""} {
		_, token := askLink(t, app, more)
		get := func(accept string) (int, string) {
			headers := map[string]string{"Accept": accept}
			if accept == "" {
				headers = nil
			}
			res, text := fetch(t, http.MethodGet, app.URL+"/api/v1/auth/verify?token="+token, headers, nil)
			return res.StatusCode, text
		}
		for _, accept := range []string{"", "*/*", "text/html", "application/*", "application/xml", "application/json;q=0", "image/*;q=0.8, */*;q=0.1"} {
			if status, text := get(accept); status != 200 || !strings.Contains(text, "<button>") {
				t.Errorf("%s, Accept %q: got %d %s", name, accept, status, text)
			}
		}
		want := 200
		if more != "" {
			want = 401
		}
		if status, text := get("text/plain, application/json;q=0.5"); status != want || strings.Contains(text, "eyJ") != (want == 200) {
			t.Errorf("%s: got %d %s, want %d", name, status, text, want)
		}
		if more == "" {
			continue
		}
		for verifier, want := range map[string]int{strings.Repeat("x", 43): 401, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk": 200} {
			body, _ := json.Marshal(map[string]string{"token": token, "codeVerifier": verifier})
			res, text := fetch(t, http.MethodPost, app.URL+"/api/v1/auth/verify", map[string]string{"Content-Type": "application/json"}, bytes.NewReader(body))
			if res.StatusCode != want && want == 200 || res.StatusCode == 200 && want != 200 {
				t.Errorf("%s with the secret %s: got %d %s", name, verifier, res.StatusCode, text)
			}
		}
	}
}

// A page of another site presses no button.
func TestAnotherSiteRedeemsNoLink(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t, func(c *config.Config) { c.HTTP.CORSOrigins = []string{"https://app.example.org"} })
	_, token := askLink(t, app, "")
	form, asJSON := "token="+token, `{"token":"`+token+`"}`
	for name, headers := range map[string]map[string]string{
		"no origin":     {"Origin": "null"},
		"a foreign one": {"Origin": "https://evil.example.org"},
		"cross-site":    {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example.org"},
		"a sister":      {"Sec-Fetch-Site": "same-site", "Origin": "https://blog.example.org"},
	} {
		for kind, body := range map[string]string{"application/x-www-form-urlencoded": form, "application/json": asJSON} {
			headers["Content-Type"] = kind
			res, text := fetch(t, http.MethodPost, app.URL+"/api/v1/auth/verify", headers, strings.NewReader(body))
			if res.StatusCode != 403 || strings.Contains(text, "eyJ") {
				t.Errorf("%s, %s: got %d %s", name, kind, res.StatusCode, text)
			}
		}
	}
	res, text := fetch(t, http.MethodPost, app.URL+"/api/v1/auth/verify",
		map[string]string{"Content-Type": "application/json", "Origin": "https://app.example.org", "Sec-Fetch-Site": "cross-site"}, strings.NewReader(asJSON))
	if res.StatusCode != 200 || !strings.Contains(text, "eyJ") {
		t.Errorf("an origin of the settings: got %d %s", res.StatusCode, text)
	}
}

// A request for a link of a tenant that does not exist waits for the same work as any other: it makes a job, which mails nothing.
func TestAnUnknownTenantTakesTheSameWork(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	ask := func(tenant string) int {
		res, text := fetch(t, http.MethodPost, app.URL+"/api/v1/auth/login", map[string]string{"Content-Type": "application/json"},
			strings.NewReader(`{"tenant":"`+tenant+`","email":"nobody@example.org"}`))
		if res.StatusCode != http.StatusAccepted {
			t.Fatalf("got %d %s", res.StatusCode, text)
		}
		jobs := 0
		err := app.Store.Unscoped().QueryRow(t.Context(), "select count(*) from river.river_job where kind = 'mail_link'").Scan(&jobs)
		if err != nil {
			t.Fatal(err)
		}
		return jobs
	}
	var slug string
	var arguments []byte
	sample.Write(t, app.Store, app.Scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select slug from tenants where id = $1", tx.Tenant()).Scan(&slug)
	})
	if known, unknown := ask(slug), ask("no-such-tenant"); known != 1 || unknown != 2 {
		t.Fatalf("%d jobs for a known tenant, then %d with an unknown one; want 1 and 2", known, unknown)
	}
	err := app.Store.Unscoped().QueryRow(t.Context(), "select args from river.river_job where kind = 'mail_link' order by id desc limit 1").Scan(&arguments)
	if err != nil {
		t.Fatal(err)
	}
	var link access.MailLink
	err = json.Unmarshal(arguments, &link)
	if err != nil {
		t.Fatal(err)
	}
	err = (&access.LinkMailer{Store: app.Store, BaseURL: app.URL}).Work(t.Context(), &river.Job[access.MailLink]{Args: link})
	if err != nil {
		t.Errorf("the job of an unknown tenant: %v", err)
	}
}

// A class signs in from one address.
func TestAnExamRoomSignsInFromOneAddress(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	for i := range 60 {
		res, text := fetch(t, http.MethodPost, app.URL+"/api/v1/auth/login", map[string]string{"Content-Type": "application/json"},
			strings.NewReader(fmt.Sprintf(`{"tenant":"north","email":"candidate-%d@example.org"}`, i)))
		if res.StatusCode != http.StatusAccepted {
			t.Fatalf("person %d: got %d %s", i+1, res.StatusCode, text)
		}
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

// askLink requests a link for a new candidate, and works on the mail job as the queue would. It gives the token.
func askLink(t *testing.T, app *apptest.App, more string) (people.User, string) {
	t.Helper()
	var user people.User
	var slug string
	sample.Write(t, app.Store, app.Scope, func(tx *db.Tx) error {
		user = sample.User(t, tx)
		return tx.QueryRow(t.Context(), "select slug from tenants where id = $1", tx.Tenant()).Scan(&slug)
	})
	res, text := fetch(t, http.MethodPost, app.URL+"/api/v1/auth/login", map[string]string{"Content-Type": "application/json"},
		strings.NewReader(`{"tenant":"`+slug+`","email":"`+user.Email+`"`+more+`}`))
	if res.StatusCode != http.StatusAccepted {
		t.Fatalf("got %d %s", res.StatusCode, text)
	}
	var link ids.ID
	sample.Write(t, app.Store, app.Scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select id from magic_links where tenant_id = $1 and user_id = $2", tx.Tenant(), user.ID).Scan(&link)
	})
	folder := t.TempDir()
	sender, err := mail.New(config.Mail{Mode: config.MailFolder, Folder: folder, From: "a@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	worker := &access.LinkMailer{Store: app.Store, Sender: sender, BaseURL: app.URL}
	err = worker.Work(t.Context(), &river.Job[access.MailLink]{Args: access.MailLink{Tenant: app.Tenant, Link: link}})
	files, _ := filepath.Glob(filepath.Join(folder, "*.eml"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	message, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`verify\?token=([\w-]+)`).FindStringSubmatch(strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(string(message)))
	if found == nil {
		t.Fatalf("no link in\n%s", message)
	}
	return user, found[1]
}

// The button of a link leads to the app with a code that is in no address that servers
// see, and the app trades it for a token.
func TestALinkLeadsToTheApp(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t, func(c *config.Config) {
		c.Auth.AppURL, c.Auth.RedirectURLs = "https://app.example.org/start", []string{"https://staff.example.org"}
	})
	asJSON := map[string]string{"Content-Type": "application/json"}
	res, text := fetch(t, http.MethodPost, app.URL+"/api/v1/auth/login", asJSON,
		strings.NewReader(`{"tenant":"x","email":"a@example.org","redirectUri":"https://evil.example.org"}`))
	if res.StatusCode != 422 || !strings.Contains(text, "not_allowed") {
		t.Errorf("a foreign address: %d %s", res.StatusCode, text)
	}
	const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" // RFC 7636, appendix B
	user, token := askLink(t, app, `,"redirectUri":"https://staff.example.org","codeChallenge":"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM","state":"s"`)
	res, page := fetch(t, http.MethodGet, app.URL+"/api/v1/auth/verify?token="+token, map[string]string{"Accept": "text/html"}, nil)
	if policy := res.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "form-action 'self' https://app.example.org https://staff.example.org") {
		t.Errorf("policy %q", policy)
	}
	if !strings.Contains(page, "<button>") {
		t.Error(page)
	}
	press := func() *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, app.URL+"/api/v1/auth/verify", strings.NewReader(url.Values{"token": {token}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res
	}
	res = press()
	to, err := url.Parse(res.Header.Get("Location"))
	if err != nil || res.StatusCode != http.StatusSeeOther || to.Host != "staff.example.org" || to.RawQuery != "" ||
		res.Header.Get("Referrer-Policy") != "no-referrer" || res.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("got %d %v", res.StatusCode, res.Header)
	}
	said, err := url.ParseQuery(to.Fragment)
	if err != nil || said.Get("state") != "s" {
		t.Fatal(to, err)
	}
	if res = press(); res.StatusCode != 401 {
		t.Errorf("the button again: %d", res.StatusCode)
	}
	trade := func(verifier string) (int, string) {
		body, _ := json.Marshal(map[string]string{"code": said.Get("code"), "codeVerifier": verifier})
		res, text := fetch(t, http.MethodPost, app.URL+"/api/v1/auth/token", asJSON, bytes.NewReader(body))
		return res.StatusCode, text
	}
	if status, text := trade(strings.Repeat("x", 43)); status != 401 || !strings.Contains(text, string(errs.LinkInvalid)) {
		t.Errorf("with another secret: %d %s", status, text)
	}
	status, text := trade(verifier)
	if status != 200 || !strings.Contains(text, user.ID.String()) {
		t.Errorf("got %d %s", status, text)
	}
	if status, _ := trade(verifier); status != 401 {
		t.Errorf("the code again: %d", status)
	}
}

// Without an app the page shows a token on the machine of a developer, and nowhere else.
func TestATokenIsShownToDevelopersAlone(t *testing.T) {
	t.Parallel()
	for address, shown := range map[string]bool{"http://127.0.0.1:8080": true, "https://assess.example.org": false} {
		app := apptest.Start(t, func(c *config.Config) { c.HTTP.BaseURL = address })
		user, token := askLink(t, app, "")
		_, page := fetch(t, http.MethodPost, app.URL+"/api/v1/auth/verify", map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
			strings.NewReader(url.Values{"token": {token}}.Encode()))
		if strings.Contains(page, "<code>eyJ") != shown || strings.Contains(page, "sign in there") == shown || !strings.Contains(page, user.Name) {
			t.Errorf("at %s: %s", address, page)
		}
	}
}
