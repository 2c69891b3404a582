package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assess/config"
	"assess/pkg/dev/apptest"
	chromium "assess/pkg/dev/browser"
	"assess/pkg/kernel/mail"
)

const invitation = "Hello,\n\nopen http://127.0.0.1:8080/api/v1/auth/verify?token=secret-of-eve and begin.\n<b>Yours</b>"

// homeWith serves the page with a mail in its folder.
func homeWith(t *testing.T, change func(*config.Config)) *apptest.App {
	t.Helper()
	return apptest.Start(t, func(c *config.Config) {
		c.Database.Embedded, c.HTTP.BaseURL = true, "http://127.0.0.1:8080"
		c.Mail = config.Mail{Mode: config.MailFolder, Folder: t.TempDir(), From: "Assessments <a@example.org>"}
		sender, err := mail.New(c.Mail)
		if err == nil {
			err = sender.Send(t.Context(), mail.Message{To: "eve@example.net", Subject: "Ihre Einladung für Mai", Text: invitation})
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(c.Mail.Folder, "2.eml"), []byte("no mail"), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(c)
		}
	})
}

// The page says which program runs here; in development it shows the mail and signs people in.
func TestHomeInDevelopment(t *testing.T) {
	t.Parallel()
	for _, look := range []chromium.Look{{}, {Width: 390, Dark: true}} {
		p := chromium.Open(t, look)
		app := homeWith(t, nil)
		p.Visit(app.URL + "/")
		p.Click("summary")
		p.See("Ihre Einladung für Mai to eve@example.net")
		p.See("<b>Yours</b>")
		p.Has("a[href='http://127.0.0.1:8080/api/v1/auth/verify?token=secret-of-eve']")
		p.Accessible()
		p.Fits()
		p.Picture("home-" + map[bool]string{false: "1280", true: "390"}[look.Dark])
		p.Fill("input[name=tenant]", "nobody")
		p.Fill("input[name=email]", "nobody@example.org")
		p.Click("button=Send a link")
		p.See("the mail is on its way")
	}
}

// Nobody but people at this machine sees the mail, and nobody at all in production.
func TestHomeKeepsTheMailToItself(t *testing.T) {
	t.Parallel()
	html := map[string]string{"Accept": "text/html"}
	sees := func(address string, header map[string]string) bool {
		res, text := fetch(t, http.MethodGet, address, header, nil)
		if res.StatusCode != http.StatusOK || !strings.Contains(text, "Assessment service") {
			t.Errorf("%s: %d %s", address, res.StatusCode, text)
		}
		if !strings.Contains(text, `action="/sign-in"`) {
			t.Error("nobody can sign in")
		}
		return strings.Contains(text, "secret-of-eve")
	}
	app := homeWith(t, nil)
	if !sees(app.URL+"/", html) {
		t.Error("the page does not show the mail in development")
	}
	for name, change := range map[string]func(*config.Config){
		"a database of production": func(c *config.Config) { c.Database.Embedded = false },
		"a public address":         func(c *config.Config) { c.HTTP.BaseURL = "https://assess.example.org" },
		"mail by SMTP":             func(c *config.Config) { c.Mail.Mode = config.MailSMTP },
	} {
		other := homeWith(t, change)
		if sees(other.URL+"/", html) {
			t.Errorf("%s: the page shows the mail", name)
		}
	}
	to, err := url.Parse(app.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(httputil.NewSingleHostReverseProxy(to))
	defer proxy.Close()
	if sees(proxy.URL+"/", html) {
		t.Error("a proxy hands the mail on")
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app.URL+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "rebound.example.org"
	req.Header.Set("Accept", "text/html")
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || strings.Contains(string(body), "secret-of-eve") {
		t.Errorf("a name from elsewhere sees the mail (%v)", err)
	}
}

// A caller who wants JSON finds nothing at /, as before; and no other site fills in the form.
func TestHomeIsForPeople(t *testing.T) {
	t.Parallel()
	app := homeWith(t, nil)
	for _, accept := range []string{"application/json", "*/*", ""} {
		res, text := fetch(t, http.MethodGet, app.URL+"/", map[string]string{"Accept": accept}, nil)
		if res.StatusCode != http.StatusNotFound || !strings.Contains(text, "route_not_found") {
			t.Errorf("%q: %d %s", accept, res.StatusCode, text)
		}
	}
	res, _ := fetch(t, http.MethodPost, app.URL+"/sign-in", map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
		strings.NewReader("tenant=x&email=y@example.org"))
	if res.StatusCode != http.StatusNotFound {
		t.Errorf("a form of another site: %d", res.StatusCode)
	}
}
