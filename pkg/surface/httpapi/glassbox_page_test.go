package httpapi_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"assess/config"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/trust/glassbox"
)

// browser keeps cookies by their path, as browsers do, and follows no redirect by itself.
type browser struct {
	*testing.T
	client *http.Client
	base   string
}

func (w *town) browser(t *testing.T) *browser {
	t.Helper()
	return &browser{t, &http.Client{Jar: newJar(t), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, w.app.URL}
}

func (b *browser) do(method, address, form string) (*http.Response, string) {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), method, b.base+address, strings.NewReader(form))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	if form != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := b.client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	return res, string(text)
}

var browserField = regexp.MustCompile(`name="browser" value="([^"]+)"`)

// look follows a link and gives the form that its button sends.
func (b *browser) look(at, code string) string {
	b.Helper()
	_, text := b.do("GET", at, "")
	form := url.Values{"code": {code}}
	if found := browserField.FindStringSubmatch(text); found != nil {
		form.Set("browser", found[1])
	}
	return form.Encode()
}

// addressed gives path and query of a link, and its code.
func addressed(t *testing.T, l glassbox.IssuedLink) (string, string, string) {
	t.Helper()
	u, err := url.Parse(l.OpenURL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Path, u.RequestURI(), u.Query().Get("code")
}

// The way of somebody who was sent a link: look, press the button, read, come back. A double click and
// a reload do no harm, another browser gets nothing, and no address holds a token.
func TestALinkOpensInOneBrowser(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	made := w.link(t, w.home.Submission, map[string]any{"includeEvidence": "files"})
	path, at, code := addressed(t, made)
	mine, other := w.browser(t), w.browser(t)

	res, text := mine.do("GET", path, "")
	if res.StatusCode != 401 || !strings.Contains(text, "does not open") || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		t.Errorf("without a code: %d %s", res.StatusCode, text)
	}
	for range 2 { // a scanner of mail looks, too
		res, text = other.do("GET", at, "")
		if res.StatusCode != 200 || !strings.Contains(text, "<button>") || res.Header.Get("Referrer-Policy") != "no-referrer" || res.Header.Get("Cache-Control") != "no-store" || len(res.Cookies()) > 0 {
			t.Errorf("the door: %d %v %s", res.StatusCode, res.Header, text)
		}
	}
	form, others := mine.look(at, code), other.look(at, code)
	var clicks sync.WaitGroup
	for range 2 {
		clicks.Go(func() {
			res, _ := mine.do("POST", "/open-link", form)
			if res.StatusCode != 303 || res.Header.Get("Location") != path {
				t.Errorf("the button: %d to %q", res.StatusCode, res.Header.Get("Location"))
			}
		})
	}
	clicks.Wait()
	if res, _ := mine.do("GET", at, ""); res.StatusCode != 303 || res.Header.Get("Location") != path {
		t.Errorf("the link again: %d to %q", res.StatusCode, res.Header.Get("Location"))
	}
	for range 2 {
		res, text = mine.do("GET", path, "")
		if res.StatusCode != 200 || !strings.Contains(text, "Glass box") || !strings.Contains(res.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("the page: %d %s", res.StatusCode, text)
		}
	}
	for _, address := range []string{path, strings.Replace(path, "/glassbox/", "/glass-box/", 1)} {
		if res, text := mine.do("POST", address, form); res.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: %d %s", address, res.StatusCode, text)
		}
	}
	if strings.Contains(text, made.Token) || strings.Contains(text, code) {
		t.Error("the page holds a secret")
	}
	if res, _ := mine.do("GET", path+"/evidence/"+w.home.Evidence.String(), ""); res.StatusCode != 200 {
		t.Errorf("a file: %d", res.StatusCode)
	}
	for name, try := range map[string]func() (*http.Response, string){
		"another browser's look":   func() (*http.Response, string) { return other.do("GET", at, "") },
		"another browser's button": func() (*http.Response, string) { return other.do("POST", "/open-link", others) },
		"another browser's page":   func() (*http.Response, string) { return other.do("GET", path, "") },
		"a code of nobody":         func() (*http.Response, string) { return mine.do("POST", "/open-link", "code=x") },
	} {
		if res, text := try(); res.StatusCode != 401 || !strings.Contains(text, "does not open") {
			t.Errorf("%s: %d %s", name, res.StatusCode, text)
		}
	}
	w.revoke(t, made)
	for name, address := range map[string]string{"the page": path, "the link": at} {
		if res, _ := mine.do("GET", address, ""); res.StatusCode != 401 {
			t.Errorf("%s of a link that was withdrawn: %d", name, res.StatusCode)
		}
	}
}

// Of several browsers that press the button at once, one gets in.
func TestOfBrowsersAtOnceOneGetsIn(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	_, at, code := addressed(t, w.link(t, w.home.Submission, map[string]any{}))
	statuses := make(chan int, 6)
	var all sync.WaitGroup
	for range cap(statuses) {
		b := w.browser(t)
		form := b.look(at, code)
		all.Go(func() {
			res, _ := b.do("POST", "/open-link", form)
			statuses <- res.StatusCode
		})
	}
	all.Wait()
	close(statuses)
	in := 0
	for s := range statuses {
		if s == 303 {
			in++
		}
	}
	if in != 1 {
		t.Errorf("%d browsers got in", in)
	}
}

func TestTheCookieOfALinkIsForItsPageAlone(t *testing.T) {
	t.Parallel()
	for base, secure := range map[string]bool{"http://127.0.0.1:8080": false, "https://exams.example.org": true} {
		w := newTown(t, func(c *config.Config) { c.HTTP.BaseURL = base })
		made := w.link(t, w.home.Submission, map[string]any{})
		path, at, code := addressed(t, made)
		if !strings.HasPrefix(made.OpenURL, base+"/api/v1/glassbox/submissions/"+w.home.Submission.String()+"?code=") {
			t.Errorf("the address is %s", made.OpenURL)
		}
		b := w.browser(t)
		b.client.Jar = nil
		res, _ := b.do("POST", "/open-link", b.look(at, code))
		c := res.Cookies()[0]
		if !c.HttpOnly || c.Secure != secure || c.SameSite != http.SameSiteLaxMode || c.Path != path || strings.Contains(c.Value, code) {
			t.Errorf("the cookie is %+v", c)
		}
		if res, text := b.do("GET", path, ""); res.StatusCode != 401 || !strings.Contains(text, "cookies") {
			t.Errorf("a browser without cookies: %d %s", res.StatusCode, text)
		}
	}
}

// The page under its other spelling leads to the first, so that there is one cookie.
func TestTheAliasLeadsToThePage(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	path, at, _ := addressed(t, w.link(t, w.home.Submission, map[string]any{}))
	b := w.browser(t)
	for from, to := range map[string]string{path: path, at: at} {
		res, _ := b.do("GET", strings.Replace(from, "/glassbox/", "/glass-box/", 1), "")
		if res.StatusCode != http.StatusPermanentRedirect || res.Header.Get("Location") != to {
			t.Errorf("got %d to %q, want %q", res.StatusCode, res.Header.Get("Location"), to)
		}
	}
}

// Links of two submissions live in one browser side by side; a cookie opens none of them elsewhere.
func TestACookieOpensItsSubmission(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	b := w.browser(t)
	for _, of := range []ids.ID{w.home.Submission, w.home.OwnSubmission} {
		_, at, code := addressed(t, w.link(t, of, map[string]any{}))
		_, _ = b.do("POST", "/open-link", b.look(at, code))
	}
	var secret string
	for _, of := range []ids.ID{w.home.Submission, w.home.OwnSubmission} {
		path := "/api/v1/glassbox/submissions/" + of.String()
		if res, _ := b.do("GET", path, ""); res.StatusCode != 200 {
			t.Errorf("got %d", res.StatusCode)
		}
		u, _ := url.Parse(b.base + path)
		secret = b.client.Jar.Cookies(u)[0].Value
	}
	got := w.send(t, request{method: "GET", path: "/glassbox/submissions/" + w.home.Submission.String(), header: map[string]string{"Cookie": "assess_glassbox=" + secret}})
	if got.status != 401 {
		t.Errorf("the cookie of another submission: %d", got.status)
	}
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		return glassbox.RevokeAll(t.Context(), tx, w.home.OwnSubmission)
	})
	if res, _ := b.do("GET", "/api/v1/glassbox/submissions/"+w.home.OwnSubmission.String(), ""); res.StatusCode != 401 {
		t.Errorf("after all were ended: %d", res.StatusCode)
	}
}

func newJar(t *testing.T) http.CookieJar {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return jar
}

// A cookie that somebody else planted in a browser is replaced by the button; and no page of another site presses it.
func TestAPlantedCookieOpensNothing(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	path, at, code := addressed(t, w.link(t, w.home.Submission, map[string]any{}))
	victim := w.browser(t)
	root, err := url.Parse(w.app.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	planted := &http.Cookie{Name: "assess_glassbox", Value: access.NewBrowser(code), Path: path}
	victim.client.Jar.SetCookies(root, []*http.Cookie{planted})
	for name, headers := range map[string]map[string]string{
		"a page that hides its origin": {"Origin": "null"},
		"a page of another site":       {"Origin": "https://evil.example.org", "Sec-Fetch-Site": "cross-site"},
		"a page in a frame":            {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
		"an older browser":             {"Origin": "https://evil.example.org"},
	} {
		headers["Content-Type"] = "application/x-www-form-urlencoded"
		res, text := fetch(t, http.MethodPost, w.app.URL+"/open-link", headers, strings.NewReader(victim.look(at, code)))
		if res.StatusCode != http.StatusForbidden || len(res.Cookies()) > 0 {
			t.Errorf("%s: %d %s", name, res.StatusCode, text)
		}
	}
	if res, text := victim.do("POST", "/open-link", victim.look(at, code)); res.StatusCode != 303 {
		t.Fatalf("the button: %d %s", res.StatusCode, text)
	}
	if res, _ := victim.do("GET", path, ""); res.StatusCode != 200 {
		t.Errorf("the page: %d", res.StatusCode)
	}
	planter := w.browser(t)
	planter.client.Jar.SetCookies(root, []*http.Cookie{planted})
	if res, _ := planter.do("GET", path, ""); res.StatusCode != 401 {
		t.Errorf("whoever planted it: %d", res.StatusCode)
	}
}
