package httpapi_test

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/oauth2-proxy/mockoidc"

	"assess/config"
	"assess/pkg/dev/apptest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/outgoing"
	"assess/pkg/people/access"
	"assess/pkg/people/idp"
	"assess/pkg/people/people"
)

// The provider takes secrets only in the body, and says otherwise.
func init() { mockoidc.TokenEndpointAuthMethodsSupported = []string{"client_secret_post"} }

// strongly is somebody who signs in at the provider strongly enough for a step-up.
type strongly struct {
	*mockoidc.MockUser
	acr string
}

func (u strongly) Claims(scope []string, c *mockoidc.IDTokenClaims) (jwt.Claims, error) {
	claims, err := u.MockUser.Claims(scope, c)
	return &strongClaims{claims, u.acr, time.Now().Unix()}, err
}

type strongClaims struct {
	jwt.Claims
	acr string
	at  int64
}

func (c *strongClaims) MarshalJSON() ([]byte, error) {
	said := map[string]any{}
	text, err := json.Marshal(c.Claims)
	if err == nil {
		err = json.Unmarshal(text, &said)
	}
	said["acr"], said["auth_time"] = c.acr, c.at
	if err != nil {
		return nil, err
	}
	return json.Marshal(said)
}

const application = "https://app.example.org/start"

// campus is a tenant whose people sign in with a provider, and a browser.
type campus struct {
	*testing.T
	app      *apptest.App
	provider *mockoidc.MockOIDC
	roots    *x509.CertPool
	tenant   string
	browser  *http.Client
}

func newCampus(t *testing.T) *campus {
	t.Helper()
	// The certificate comes from httptest's servers.
	lender := httptest.NewUnstartedServer(nil)
	lender.StartTLS()
	t.Cleanup(lender.Close)
	c := &campus{T: t, roots: x509.NewCertPool()}
	c.roots.AddCert(lender.Certificate())
	var err error
	c.provider, err = mockoidc.NewServer(nil)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	secure := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: lender.TLS.Certificates}
	err = c.provider.Start(tls.NewListener(listener, secure), secure)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.provider.Shutdown() })
	address := netip.MustParseAddrPort(listener.Addr().String())
	client := outgoing.New(outgoing.Rules{AllowPrivate: []netip.Prefix{netip.PrefixFrom(address.Addr(), 32)}, Roots: c.roots, Port: address.Port()})
	c.app = apptest.Start(t, func(c *config.Config) { c.Auth.AppURL = application }).Calling(t, client)
	sample.Write(t, c.app.Store, c.app.Scope, func(tx *db.Tx) error {
		made, err := idp.Create(t.Context(), tx, idp.Input{Slug: "campus", Name: "North & South", Issuer: c.provider.Issuer(), ClientID: c.provider.ClientID,
			EmailTrust: idp.TrustVerified, Domains: []string{"example.com"}, Provisioning: idp.ProvisionJIT, OrgUnitID: c.app.OrgUnit})
		if err != nil {
			return err
		}
		_, err = idp.SetSecret(t.Context(), tx, c.app.Authority, made.ID, idp.Secret{Secret: c.provider.ClientSecret})
		if err != nil {
			return err
		}
		return tx.QueryRow(t.Context(), "select slug from tenants where id = $1", tx.Tenant()).Scan(&c.tenant)
	})
	c.browser = c.newBrowser()
	return c
}

// newBrowser keeps cookies and stops at each redirect.
func (c *campus) newBrowser() *http.Client {
	jar, _ := cookiejar.New(nil) // never fails without options
	return &http.Client{Jar: secureJar{jar}, Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.roots}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// secureJar sends cookies for encrypted connections to this machine too, as browsers do.
type secureJar struct{ *cookiejar.Jar }

func (j secureJar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	j.Jar.SetCookies(encrypted(u), cookies)
}
func (j secureJar) Cookies(u *url.URL) []*http.Cookie { return j.Jar.Cookies(encrypted(u)) }

func encrypted(u *url.URL) *url.URL {
	other := *u
	other.Scheme = "https"
	return &other
}

// visit opens an address as a browser does, and gives the status, the address it leads to and the text it shows.
func (c *campus) visit(browser *http.Client, address string) (int, string, string) {
	c.Helper()
	request, err := http.NewRequestWithContext(c.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		c.Fatal(err)
	}
	request.Header.Set("Accept", "text/html")
	request.Header.Set("Sec-Fetch-Mode", "navigate")
	res, err := browser.Do(request)
	if err != nil {
		c.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		c.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Location"), string(text)
}

// follow goes from the start over the provider back to the service, and gives where that leads.
func (c *campus) follow(start string) (int, string, string) {
	c.Helper()
	status, to, text := c.visit(c.browser, c.app.URL+start)
	if status != http.StatusSeeOther || !strings.HasPrefix(to, c.provider.Issuer()) {
		c.Fatalf("%s: got %d %s %s", start, status, to, text)
	}
	status, to, text = c.visit(c.browser, to)
	u, err := url.Parse(to)
	if err != nil || u.Path != idp.CallbackPath {
		c.Fatalf("the provider: got %d %s %s", status, to, text)
	}
	return c.visit(c.browser, c.app.URL+u.Path+"?"+u.RawQuery)
}

func (c *campus) startOf(more url.Values) string {
	hash := sha256.Sum256([]byte("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
	q := url.Values{"tenant": {c.tenant}, "redirectUri": {application}, "state": {"mine"}, "codeChallenge": {base64.RawURLEncoding.EncodeToString(hash[:])}}
	for name, values := range more {
		q[name] = values
	}
	return "/api/v1/auth/oidc/campus/start?" + q.Encode()
}

func TestASignInWithTheProviderEndsInTheApplication(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	res, text := fetch(t, http.MethodGet, c.app.URL+"/api/v1/auth/providers?tenant="+c.tenant, nil, nil)
	if res.StatusCode != 200 || !strings.Contains(text, `"slug":"campus"`) {
		t.Errorf("got %d %s", res.StatusCode, text)
	}
	status, to, text := c.follow(c.startOf(nil))
	fragment, ok := strings.CutPrefix(to, application+"#")
	if status != http.StatusSeeOther || !ok {
		t.Fatalf("got %d %s %s", status, to, text)
	}
	said, err := url.ParseQuery(fragment)
	if err != nil || said.Get("state") != "mine" {
		t.Errorf("got %s", fragment)
	}
	for _, step := range []struct {
		verifier string
		want     int
	}{{strings.Repeat("x", 43), 401}, {"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", 200}, {"dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", 401}} {
		body, _ := json.Marshal(map[string]string{"code": said.Get("code"), "codeVerifier": step.verifier})
		res, text := fetch(t, http.MethodPost, c.app.URL+"/api/v1/auth/token", map[string]string{"Content-Type": "application/json"}, strings.NewReader(string(body)))
		if res.StatusCode != step.want {
			t.Fatalf("got %d %s, want %d", res.StatusCode, text, step.want)
		}
		var s access.Session
		if step.want == 200 && (json.Unmarshal([]byte(text), &s) != nil || s.User.Email != "jane.doe@example.com" || strings.Contains(text, "stepUpProof")) {
			t.Errorf("got %s", text)
		}
	}
}

// The page at / offers the button and keeps who came by it signed in.
func TestThePageSignsInWithTheProvider(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	_, _, text := c.visit(c.browser, c.app.URL+"/?tenant="+c.tenant)
	href := "/sign-in/with/campus?tenant=" + c.tenant
	if !strings.Contains(text, `href="`+href+`"`) || !strings.Contains(text, "Sign in with North &amp; South") {
		t.Fatalf("the page has no button:\n%s", text)
	}
	status, to, text := c.follow(href)
	if status != http.StatusSeeOther || to != "/" {
		t.Fatalf("got %d %s %s", status, to, text)
	}
	if _, _, text = c.visit(c.browser, c.app.URL+"/"); !strings.Contains(text, "You are signed in") {
		t.Errorf("the page shows\n%s", text)
	}
	if _, _, text = c.visit(c.browser, c.app.URL+"/?tenant=nobody"); strings.Contains(text, "/sign-in/with") {
		t.Error("a tenant that is not there has a button")
	}
}

// People in a browser get a page, programs JSON; neither says more than the kind of failure.
func TestWhatGoesWrongAtTheProviderIsSaid(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	status, _, text := c.visit(c.browser, c.app.URL+c.startOf(url.Values{"redirectUri": {"https://evil.example"}}))
	if status != 422 || !strings.Contains(text, "<h1>") {
		t.Errorf("another address: got %d %s", status, text)
	}
	// A sign-in that another browser began is not mine.
	_, to, _ := c.visit(c.newBrowser(), c.app.URL+c.startOf(nil))
	_, to, _ = c.visit(c.browser, to)
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	status, to, text = c.visit(c.browser, c.app.URL+u.Path+"?"+u.RawQuery)
	if status != 422 || to != "" || !strings.Contains(text, "Begin again") {
		t.Errorf("another's sign-in: got %d %s %s", status, to, text)
	}
	for path, want := range map[string]errs.Code{
		idp.CallbackPath + "?state=x&code=y": errs.SignInExpired,
		"/api/v1/auth/oidc/nobody/start?tenant=" + c.tenant + "&codeChallenge=" + strings.Repeat("x", 43) + "&redirectUri=" + application: errs.NotFound,
	} {
		res, text := fetch(t, http.MethodGet, c.app.URL+path, nil, nil)
		if res.StatusCode != errs.Status(want) || !strings.Contains(text, `"`+string(want)+`"`) {
			t.Errorf("%s: got %d %s", path, res.StatusCode, text)
		}
	}
	c.provider.QueueUser(&mockoidc.MockUser{Subject: "s-2", Email: "eve@example.com"})
	status, _, text = c.follow(c.startOf(nil))
	if status != 403 || !strings.Contains(text, "does not say that your e-mail address is yours") {
		t.Errorf("an address that is not verified: got %d %s", status, text)
	}
	res, text := fetch(t, http.MethodPost, c.app.URL+"/api/v1/auth/oidc/campus/backchannel-logout?tenant="+c.tenant,
		map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, strings.NewReader("logout_token=x"))
	if res.StatusCode != 400 || res.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a logout token that is none: got %d %s", res.StatusCode, text)
	}
	_ = c.provider.Shutdown()
	other := c.app.Calling(t, outgoing.New(outgoing.Rules{}))
	status, _, text = c.visit(c.browser, other.URL+c.startOf(nil))
	if status != 503 || !strings.Contains(text, "does not answer as it should") {
		t.Errorf("a provider that is away: got %d %s", status, text)
	}
}

// trade gives the session of the code in the address that a sign-in led to.
func (c *campus) trade(to string) access.Session {
	c.Helper()
	_, fragment, _ := strings.Cut(to, "#")
	said, _ := url.ParseQuery(fragment)
	body, _ := json.Marshal(map[string]string{"code": said.Get("code"), "codeVerifier": verifier})
	res, text := fetch(c.T, http.MethodPost, c.app.URL+"/api/v1/auth/token", map[string]string{"Content-Type": "application/json"}, strings.NewReader(string(body)))
	var s access.Session
	if res.StatusCode != 200 || json.Unmarshal([]byte(text), &s) != nil {
		c.Fatalf("%s: got %d %s", to, res.StatusCode, text)
	}
	return s
}

const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

// post sends JSON with a token.
func (c *campus) post(path string, body any, s access.Session, header map[string]string) (*http.Response, string) {
	c.Helper()
	text, _ := json.Marshal(body)
	all := map[string]string{"Content-Type": "application/json", "Authorization": "Bearer " + s.Token.Token, "Idempotency-Key": rand.Text()}
	maps.Copy(all, header)
	return fetch(c.T, http.MethodPost, c.app.URL+"/api/v1"+path, all, strings.NewReader(string(text)))
}

// A call that needs a step-up proof says how to get one at the provider (RFC 9470), and a client that does so gets on.
func TestAClientStepsUpAtTheProvider(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	sample.Write(t, c.app.Store, c.app.Scope, func(tx *db.Tx) error {
		found, err := idp.BySlug(t.Context(), tx, "campus")
		if err == nil {
			_, err = idp.Update(t.Context(), tx, found.ID, idp.Patch{StepUpACR: &[]string{"gold", "two\"factors"}, StepUpMaxAge: new(60)})
		}
		return err
	})
	_, to, _ := c.follow(c.startOf(nil))
	s := c.trade(to)
	res, text := c.post("/users/me/requests", map[string]string{"kind": "access"}, s, nil)
	const challenge = `Bearer realm="assessd", error="insufficient_user_authentication", error_description="A step-up proof is needed", acr_values="gold two\"factors", max_age=60`
	if got := res.Header.Get("WWW-Authenticate"); res.StatusCode != 403 || got != challenge || !strings.Contains(text, `"provider":"campus"`) || !strings.Contains(text, `"maxAge":60`) {
		t.Errorf("got %d %s %s", res.StatusCode, got, text)
	}
	var where idp.Address
	ask := func() string {
		t.Helper()
		hash := sha256.Sum256([]byte(verifier))
		res, text := c.post("/auth/step-up", map[string]string{"provider": "campus", "redirectUri": application, "codeChallenge": base64.RawURLEncoding.EncodeToString(hash[:])}, s, nil)
		if res.StatusCode != 200 || json.Unmarshal([]byte(text), &where) != nil {
			t.Fatalf("got %d %s", res.StatusCode, text)
		}
		_, path, _ := strings.Cut(where.URL, "/api/v1/")
		return "/api/v1/" + path
	}
	c.provider.QueueUser(strongly{mockoidc.DefaultUser(), "bronze"})
	status, _, text := c.follow(ask())
	if status != 403 || !strings.Contains(text, "as strongly as it takes") {
		t.Errorf("a weak sign-in: got %d %s", status, text)
	}
	path := ask()
	c.provider.QueueUser(strongly{mockoidc.DefaultUser(), "gold"})
	status, to, text = c.follow(path)
	if status != http.StatusSeeOther {
		t.Fatalf("got %d %s", status, text)
	}
	proven := c.trade(to)
	if proven.StepUpProof == nil || proven.User.ID != s.User.ID {
		t.Fatalf("got %+v", proven)
	}
	res, text = c.post("/users/me/requests", map[string]string{"kind": "access"}, s, map[string]string{"X-Step-Up-Proof": proven.StepUpProof.ID.String()})
	if res.StatusCode != 201 {
		t.Errorf("with the proof: got %d %s", res.StatusCode, text)
	}
	// The address is good once.
	if status, _, text = c.visit(c.browser, c.app.URL+path); status != 422 || !strings.Contains(text, "Begin again") {
		t.Errorf("again: got %d %s", status, text)
	}
}

// A person who may do more than take exams signs in by a link in a mail, and links the account at the page.
func TestThePageLinksAnAccount(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	var boss access.Session
	sample.Write(t, c.app.Store, c.app.Scope, func(tx *db.Tx) error {
		user, err := people.CreateUser(t.Context(), tx, people.UserInput{Email: "jane.doe@example.com", Roles: []string{capability.Author}, OrgUnits: []string{c.app.OrgUnit.String()}})
		if err != nil {
			return err
		}
		boss.Token, err = c.app.Authority.IssueToken(t.Context(), tx, user.ID, c.app.OrgUnit)
		if err != nil {
			return err
		}
		proof, err := c.app.Authority.IssueProof(t.Context(), tx, user.ID, access.ByMagicLink)
		boss.StepUpProof = &proof
		return err
	})
	status, _, text := c.follow("/sign-in/with/campus?tenant=" + c.tenant)
	if status != 409 || !strings.Contains(text, "link your account then") {
		t.Fatalf("got %d %s", status, text)
	}
	site, _ := url.Parse(c.app.URL)
	bring := func(proof string) {
		c.browser.Jar.SetCookies(site, []*http.Cookie{{Name: "__Host-assess", Value: boss.Token.Token, Path: "/", Secure: true}, {Name: "__Host-assess-proof", Value: proof, Path: "/", Secure: true}})
	}
	bring(ids.New().String())
	action := "/sign-in/link/campus?tenant=" + c.tenant
	if _, _, text = c.visit(c.browser, c.app.URL+"/"); !strings.Contains(text, `action="`+action+`"`) {
		t.Fatalf("the page has no button:\n%s", text)
	}
	if status, text := c.press(action, "https://evil.example"); status != 404 {
		t.Errorf("another site: got %d %s", status, text)
	}
	if status, text := c.press(action, c.app.URL); status != 403 || !strings.Contains(text, "step_up_required") {
		t.Errorf("without a proof that holds: got %d %s", status, text)
	}
	bring(boss.StepUpProof.ID.String())
	status, to, text := c.follow(c.goOn(action))
	if status != http.StatusSeeOther || to != "/" {
		t.Fatalf("got %d %s %s", status, to, text)
	}
	c.browser = c.newBrowser()
	if status, to, text = c.follow("/sign-in/with/campus?tenant=" + c.tenant); status != http.StatusSeeOther || to != "/" {
		t.Errorf("got %d %s %s", status, to, text)
	}
}

// press sends a form of the page at / without fields.
func (c *campus) press(action, origin string) (int, string) {
	c.Helper()
	req, err := http.NewRequestWithContext(c.Context(), http.MethodPost, c.app.URL+action, http.NoBody)
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Origin", origin)
	res, err := c.browser.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(text)
}

// goOn presses a button of the page at /, and gives the path that leads on to the provider.
func (c *campus) goOn(action string) string {
	c.Helper()
	status, text := c.press(action, c.app.URL)
	_, path, found := strings.Cut(html.UnescapeString(text), `href="`+"http://127.0.0.1:8080")
	path, _, _ = strings.Cut(path, `"`)
	if status != 200 || !found {
		c.Fatalf("got %d %s", status, text)
	}
	return path
}

// A person who signs in with the provider steps up there before they let in a terminal that needs a proof.
func TestThePageStepsUpForATerminal(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	sample.Write(t, c.app.Store, c.app.Scope, func(tx *db.Tx) error {
		found, err := idp.BySlug(t.Context(), tx, "campus")
		if err == nil {
			_, err = idp.Update(t.Context(), tx, found.ID, idp.Patch{StepUpACR: &[]string{"gold"}, StepUpMaxAge: new(60)})
		}
		return err
	})
	if status, to, text := c.follow("/sign-in/with/campus?tenant=" + c.tenant); status != http.StatusSeeOther || to != "/" {
		t.Fatalf("got %d %s %s", status, to, text)
	}
	asks := url.Values{"redirectUri": {"http://127.0.0.1:4711/"}, "codeChallenge": {strings.Repeat("x", 43)}, "stepUp": {"yes"}}
	c.visit(c.browser, c.app.URL+"/sign-in/terminal?"+asks.Encode())
	const action = "/sign-in/step-up/campus"
	if _, _, text := c.visit(c.browser, c.app.URL+"/"); !strings.Contains(text, `action="`+action+`"`) || strings.Contains(text, "Let it in") {
		t.Fatalf("without a proof the page is\n%s", text)
	}
	c.provider.QueueUser(strongly{mockoidc.DefaultUser(), "gold"})
	if status, to, text := c.follow(c.goOn(action)); status != http.StatusSeeOther || to != "/" {
		t.Fatalf("got %d %s %s", status, to, text)
	}
	if _, _, text := c.visit(c.browser, c.app.URL+"/"); !strings.Contains(text, "Let it in") {
		t.Errorf("with a proof the page is\n%s", text)
	}
}

func TestTheKeyOfAClientIsShown(t *testing.T) {
	t.Parallel()
	c := newCampus(t)
	for path, want := range map[string]int{"/api/v1/auth/oidc/campus/keys?tenant=" + c.tenant: 200, "/api/v1/auth/oidc/nobody/keys?tenant=" + c.tenant: 404, "/api/v1/auth/oidc/campus/keys": 404} {
		if res, text := fetch(t, http.MethodGet, c.app.URL+path, nil, nil); res.StatusCode != want || want == 200 && text != `{"keys":[]}` {
			t.Errorf("%s: got %d %s", path, res.StatusCode, text)
		}
	}
}
