package httpapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"assess/config"
	"assess/pkg/dev/apptest"
	"assess/pkg/dev/lms"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/lti"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

const ltiBase = "https://assess.example.org"

// course is a learning platform that is connected, and a browser of somebody there.
type course struct {
	*testing.T
	app        *apptest.App
	lms        *lms.Platform
	tenant     string
	evaluation ids.ID
	browser    *http.Client
}

func newCourse(t *testing.T) *course {
	t.Helper()
	c := &course{T: t, lms: lms.Start(t)}
	c.app = apptest.Start(t, func(c *config.Config) {
		c.Auth.AppURL, c.HTTP.BaseURL = application, ltiBase
		c.HTTP.CORSOrigins = []string{"https://app.example.org"}
	}).Calling(t, c.lms.Client())
	jar, _ := cookiejar.New(nil) // never fails without options
	c.browser = &http.Client{Jar: secureJar{jar}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	sample.Write(t, c.app.Store, c.app.Scope, func(tx *db.Tx) error {
		c.evaluation = sample.Evaluation(t, tx, sample.Question(t, tx, "A").ID).ID
		_, err := lti.CreatePlatform(t.Context(), tx, lti.PlatformInput{Name: "Moodle", Issuer: c.lms.URL, ClientID: lms.ClientID, AuthURL: c.lms.URL + "/authorize",
			TokenURL: c.lms.URL + "/token", KeysURL: c.lms.URL + "/keys"})
		if err != nil {
			return err
		}
		return tx.QueryRow(t.Context(), "select slug from tenants where id = $1", tx.Tenant()).Scan(&c.tenant)
	})
	c.lms.Tool = func() []json.RawMessage {
		_, text := fetch(t, http.MethodGet, c.app.URL+lti.KeysPath+c.tenant, nil, nil)
		var keys lti.Keys
		err := json.Unmarshal([]byte(text), &keys)
		if err != nil {
			t.Error(err)
		}
		return keys.Keys
	}
	return c
}

// open sends a form, or opens an address, as a browser does that comes from the platform.
func (c *course) open(method, address string, form url.Values, into string) (*http.Response, string) {
	c.Helper()
	var body io.Reader = http.NoBody
	if method == http.MethodPost {
		body = strings.NewReader(form.Encode())
	} else if form != nil {
		address += "?" + form.Encode()
	}
	request, err := http.NewRequestWithContext(c.Context(), method, address, body)
	if err != nil {
		c.Fatal(err)
	}
	for name, value := range map[string]string{"Accept": "text/html,*/*", "Content-Type": "application/x-www-form-urlencoded", "Origin": c.lms.URL, "Sec-Fetch-Dest": into, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "cross-site"} {
		request.Header.Set(name, value)
	}
	res, err := c.browser.Do(request)
	if err != nil {
		c.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.Fatal(err)
	}
	return res, string(text)
}

func (c *course) login() url.Values {
	return url.Values{"iss": {c.lms.URL}, "client_id": {lms.ClientID}, "login_hint": {"7"}, "lti_message_hint": {"<8>"}, "target_link_uri": {"https://assess.example.org/"}}
}

// launch goes the whole way of a launch, and gives how it ended.
func (c *course) launch(method string) (*http.Response, string) {
	c.Helper()
	res, text := c.open(method, c.app.URL+lti.LoginPath+c.tenant, c.login(), "document")
	to := res.Header.Get("Location")
	if res.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, c.lms.URL+"/authorize?") {
		c.Fatalf("got %d %s %s", res.StatusCode, to, text)
	}
	kept := res.Header.Get("Set-Cookie")
	for _, want := range []string{"__Host-assess-lti=", "Secure", "HttpOnly", "SameSite=None", "Partitioned"} {
		if !strings.Contains(kept, want) {
			c.Errorf("the cookie is %s", kept)
		}
	}
	form := c.lms.Authorize(c.T, to, lms.Person{Subject: "ada", Name: "Ada", Roles: []string{lms.Learner}},
		lms.Activity{ID: "7", Title: "Final exam", Course: "42", CourseTitle: "Biology", Custom: map[string]any{"evaluation": c.evaluation.String()}})
	return c.open(http.MethodPost, c.app.URL+lti.LaunchPath, form, "document")
}

func TestALaunchEndsInTheApplication(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	res, text := c.launch(http.MethodPost)
	if res.StatusCode != http.StatusForbidden || !strings.Contains(text, "The exam cannot be opened") || !strings.Contains(text, "nobody has let this deployment") {
		t.Errorf("got %d %s", res.StatusCode, text)
	}
	sample.Write(t, c.app.Store, c.app.Scope, func(tx *db.Tx) error {
		all, err := lti.ListDeployments(t.Context(), tx, lti.DeploymentFilter{})
		if err == nil {
			_, err = lti.AllowDeployment(t.Context(), tx, all.Items[0].ID, lti.AllowInput{OrgUnitID: c.app.OrgUnit})
		}
		return err
	})
	for _, method := range []string{http.MethodPost, http.MethodGet} {
		res, text = c.launch(method)
		fragment, ok := strings.CutPrefix(res.Header.Get("Location"), application+"#")
		said, err := url.ParseQuery(fragment)
		if res.StatusCode != http.StatusSeeOther || !ok || err != nil || said.Get("assignment") == "" || res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Fatalf("got %d %v %s", res.StatusCode, res.Header, text)
		}
		traded, text := fetch(t, http.MethodPost, c.app.URL+"/api/v1/auth/token", map[string]string{"Content-Type": "application/json"}, strings.NewReader(`{"code":"`+said.Get("code")+`"}`))
		if traded.StatusCode != 200 || strings.Contains(text, "stepUpProof") {
			t.Errorf("got %d %s", traded.StatusCode, text)
		}
	}
	// HEAD begins nothing, and another browser ends nothing.
	request, _ := http.NewRequestWithContext(t.Context(), http.MethodHead, c.app.URL+lti.LoginPath+c.tenant+"?"+c.login().Encode(), http.NoBody)
	head, err := c.browser.Do(request)
	if err != nil || head.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("HEAD: got %v, %v", head, err)
	}
	head.Body.Close()
	res, _ = c.open(http.MethodPost, c.app.URL+lti.LaunchPath, url.Values{"state": {"x"}, "id_token": {"y"}}, "document")
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("got %d", res.StatusCode)
	}
}

func TestAnExamOpensInAWindowOfItsOwn(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	res, text := c.open(http.MethodPost, c.app.URL+lti.LoginPath+c.tenant, c.login(), "iframe")
	if res.StatusCode != 200 || !strings.Contains(text, `target="_blank"`) || !strings.Contains(text, "lti_message_hint=%3C8%3E") || res.Header.Get("Set-Cookie") != "" ||
		strings.Contains(res.Header.Get("Content-Security-Policy"), "frame-ancestors") {
		t.Errorf("got %d %v %s", res.StatusCode, res.Header, text)
	}
	res, text = c.open(http.MethodGet, c.app.URL+lti.LoginPath+"nobody", c.login(), "document")
	if res.StatusCode != http.StatusForbidden || !strings.Contains(text, "not connected here") {
		t.Errorf("got %d %s", res.StatusCode, text)
	}
	res, text = fetch(t, http.MethodGet, c.app.URL+lti.KeysPath+c.tenant, nil, nil)
	if res.StatusCode != 200 || !strings.Contains(text, `"kty":"RSA"`) || strings.Contains(text, `"d":`) {
		t.Errorf("got %d %s", res.StatusCode, text)
	}
}

func TestAPlatformRegistersInAFrame(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	sample.Write(t, c.app.Store, c.app.Scope, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update lti_platforms set client_id = 'older' where tenant_id = $1", tx.Tenant())
		return err
	})
	var r lti.Registration
	sample.Write(t, c.app.Store, c.app.Scope, func(tx *db.Tx) error {
		var err error
		r, err = lti.CreateRegistration(t.Context(), tx)
		return err
	})
	at := strings.Replace(r.URL, ltiBase, c.app.URL, 1) + "&" + url.Values{"openid_configuration": {c.lms.URL + "/.well-known/openid-configuration"}, "registration_token": {lms.RegistrationToken}}.Encode()
	res, text := c.open(http.MethodGet, at, nil, "iframe")
	if res.StatusCode != 200 || !strings.Contains(text, "org.imsglobal.lti.close") || !strings.Contains(res.Header.Get("Content-Security-Policy"), "script-src 'sha256-") {
		t.Errorf("got %d %s", res.StatusCode, text)
	}
	res, text = c.open(http.MethodGet, at, nil, "iframe")
	if res.StatusCode != http.StatusUnauthorized || !strings.Contains(text, "The platform cannot be connected") {
		t.Errorf("got %d %s", res.StatusCode, text)
	}
}

// press sends a form of the page at /, from an origin.
func (c *course) press(path, origin string, form url.Values) (*http.Response, string) {
	c.Helper()
	return c.send(http.MethodPost, path, origin, form)
}

func (c *course) send(method, path, origin string, form url.Values) (*http.Response, string) {
	c.Helper()
	request, err := http.NewRequestWithContext(c.Context(), method, c.app.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		c.Fatal(err)
	}
	for name, value := range map[string]string{"Accept": "text/html", "Content-Type": "application/x-www-form-urlencoded", "Origin": origin, "Sec-Fetch-Mode": "navigate"} {
		request.Header.Set(name, value)
	}
	if method == http.MethodGet {
		request.Header.Del("Origin") // browsers send none then
	}
	res, err := c.browser.Do(request)
	if err != nil {
		c.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.Fatal(err)
	}
	return res, string(text)
}

// signIn signs a candidate in in the browser, with or without a proof that is fresh.
func (c *course) signIn(token, proof string) {
	site, err := url.Parse(c.app.URL)
	if err != nil {
		c.Fatal(err)
	}
	c.browser.Jar.SetCookies(site, []*http.Cookie{{Name: "__Host-assess", Value: token, Path: "/", Secure: true}, {Name: "__Host-assess-proof", Value: proof, Path: "/", Secure: true}})
}

// A person whose account is not linked is sent to /, signs in there, and links it with a button.
func TestSomebodyNewLinksTheirAccountAtThePage(t *testing.T) {
	t.Parallel()
	c := newCourse(t)
	c.teaches()
	sample.Write(t, c.app.Store, c.app.Scope, func(tx *db.Tx) error {
		all, err := lti.ListPlatforms(t.Context(), tx, db.Page{})
		if err == nil {
			_, err = lti.UpdatePlatform(t.Context(), tx, all.Items[0].ID, lti.PlatformPatch{Identity: new(lti.IdentityLink)})
		}
		return err
	})
	home := func() string {
		t.Helper()
		_, text := c.send(http.MethodGet, "/", "", nil)
		return text
	}
	const button, path = "Link my account there", "/sign-in/platform"
	token := c.app.Token(t, capability.Candidate)
	for _, answer := range []string{"no", "yes"} {
		res, text := c.launch(http.MethodPost)
		if res.StatusCode != http.StatusConflict || !strings.Contains(text, `href="/?tenant=`+c.tenant+`#sign-in"`) || !strings.Contains(text, "<code>ada</code>") || strings.Contains(text, "_blank") ||
			!strings.Contains(res.Header.Get("Set-Cookie"), "SameSite=Lax") {
			t.Fatalf("got %d %v %s", res.StatusCode, res.Header, text)
		}
		c.signIn("", "")
		if text = home(); !strings.Contains(text, "You came from a learning platform") || strings.Contains(text, "Ada") {
			t.Errorf("before the sign-in: %s", text)
		}
		c.signIn(token, "")
		if text = home(); !strings.Contains(text, "show once more that it is you") || strings.Contains(text, button) {
			t.Errorf("without a proof: %s", text)
		}
		if res, text = c.press(path, c.app.URL, url.Values{"answer": {"yes"}}); res.StatusCode != http.StatusForbidden || !strings.Contains(text, "The account is not linked") {
			t.Errorf("without a proof: got %d %s", res.StatusCode, text)
		}
		c.signIn(token, c.app.Proof(t, token))
		if text = home(); !strings.Contains(text, button) || !strings.Contains(text, "Moodle, where you are called <b>Ada</b>") {
			t.Errorf("with a proof: %s", text)
		}
		if res, _ = c.press(path, "https://evil.example", url.Values{"answer": {"yes"}}); res.StatusCode != http.StatusForbidden {
			t.Errorf("another site: got %d", res.StatusCode)
		}
		res, text = c.press(path, c.app.URL, url.Values{"answer": {answer}})
		if to := res.Header.Get("Location"); res.StatusCode != http.StatusSeeOther || to != map[string]string{"no": "/", "yes": "/?linked=yes#sign-in"}[answer] {
			t.Fatalf("%s: got %d %s %s", answer, res.StatusCode, to, text)
		}
		if text = home(); strings.Contains(text, button) {
			t.Errorf("after %s: %s", answer, text)
		}
	}
	if _, text := c.send(http.MethodGet, "/?linked=yes", "", nil); !strings.Contains(text, "Your account at the learning platform is linked") {
		t.Errorf("got %s", text)
	}
	if res, text := c.press(path, c.app.URL, url.Values{"answer": {"yes"}}); res.StatusCode != http.StatusUnauthorized || !strings.Contains(text, "nothing to link any more") {
		t.Errorf("again: got %d %s", res.StatusCode, text)
	}
	res, text := c.launch(http.MethodPost)
	if res.StatusCode != http.StatusSeeOther || !strings.HasPrefix(res.Header.Get("Location"), application+"#") {
		t.Errorf("the next launch: got %d %s", res.StatusCode, text)
	}
}
