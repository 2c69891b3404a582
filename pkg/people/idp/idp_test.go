package idp_test

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"assess/models"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/idp"
	"assess/pkg/people/people"
)

const (
	app      = "https://app.example.org/start"
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
)

// college is a tenant that lets people in with a provider.
type college struct {
	*testing.T
	store     *db.Store
	scope     db.Scope
	authority *access.Authority
	provider  *provider
	desk      *idp.Desk
	idp       idp.Provider
	tenant    string
}

func newCollege(t *testing.T, changes ...func(*idp.Input)) *college {
	t.Helper()
	c := &college{T: t, store: sample.Store(t), provider: newIdentityProvider(t)}
	c.scope = sample.Tenant(t, c.store)
	options := sample.Auth()
	options.AppURL = app
	c.authority = access.NewAuthority(c.store, options)
	c.desk = idp.NewDesk(c.store, c.authority, c.provider.client(), "https://assess.example.org")
	c.provider.claims = map[string]any{"sub": "s-1", "email": "ada@north.example", "email_verified": true, "name": "Ada Byron"}
	c.write(func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select slug from tenants where id = $1", tx.Tenant()).Scan(&c.tenant)
	})
	c.idp = c.add("campus", c.provider, changes...)
	return c
}

func (c *college) add(slug string, p *provider, changes ...func(*idp.Input)) idp.Provider {
	c.Helper()
	input := idp.Input{Slug: slug, Name: "North College", Issuer: p.URL, ClientID: "assess", EmailTrust: idp.TrustVerified, Domains: []string{"North.example"},
		Provisioning: idp.ProvisionJIT, OrgUnitID: c.scope.OrgUnit}
	for _, change := range changes {
		change(&input)
	}
	var made idp.Provider
	c.write(func(tx *db.Tx) error {
		var err error
		made, err = idp.Create(c.Context(), tx, input)
		return err
	})
	return made
}

func (c *college) write(fn func(*db.Tx) error) {
	c.Helper()
	sample.Write(c.T, c.store, c.scope, fn)
}

func (c *college) start(browser string) (string, error) {
	hash := sha256.Sum256([]byte(verifier))
	return c.desk.Start(c.Context(), idp.StartInput{Tenant: c.tenant, Provider: "campus", Redirect: access.Redirect{URI: app,
		Challenge: base64.RawURLEncoding.EncodeToString(hash[:]), State: "of the app"}}, browser, "192.0.2.1")
}

// begin sends a browser to the provider and takes it back.
func (c *college) begin(browser string) url.Values {
	c.Helper()
	to, err := c.start(browser)
	if err != nil {
		c.Fatal(err)
	}
	return c.provider.authorize(c.T, to)
}

func (c *college) back(q url.Values, browser string) (string, error) {
	return c.desk.Return(c.Context(), idp.Returned{State: q.Get("state"), Code: q.Get("code"), Issuer: q.Get("iss"), Error: q.Get("error")}, browser, "192.0.2.1")
}

// signIn goes the whole way to a token.
func (c *college) signIn() (access.Session, error) {
	c.Helper()
	browser := rand.Text()
	to, err := c.back(c.begin(browser), browser)
	if err != nil {
		return access.Session{}, err
	}
	fragment, ok := strings.CutPrefix(to, app+"#")
	q, _ := url.ParseQuery(fragment)
	if !ok || q.Get("state") != "of the app" {
		c.Fatalf("it leads to %s", to)
	}
	return c.authority.Trade(c.Context(), q.Get("code"), verifier)
}

func (c *college) mustSignIn() access.Session {
	c.Helper()
	s, err := c.signIn()
	if err != nil {
		c.Fatal(err)
	}
	return s
}

func (c *college) user(input people.UserInput) people.User {
	c.Helper()
	var user people.User
	c.write(func(tx *db.Tx) error {
		var err error
		user, err = people.CreateUser(c.Context(), tx, input)
		return err
	})
	return user
}

func (c *college) update(patch idp.Patch) {
	c.Helper()
	c.write(func(tx *db.Tx) error {
		_, err := idp.Update(c.Context(), tx, c.idp.ID, patch)
		return err
	})
}

func (c *college) accounts() (n int) {
	c.Helper()
	c.write(func(tx *db.Tx) error {
		return tx.QueryRow(c.Context(), "select count(*) from user_accounts where tenant_id = $1", tx.Tenant()).Scan(&n)
	})
	return n
}

func want(t testing.TB, err error, code errs.Code, reason string) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Errorf("got %v, want %s", err, code)
		return
	}
	if reason != "" && errs.Of(err).Details["reason"] != reason {
		t.Errorf("got the reason %v, want %s", errs.Of(err).Details["reason"], reason)
	}
}

func ptr[T any](v T) *T { return &v }

func TestSomebodyNewBecomesAUserAndStaysTheSame(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	first := c.mustSignIn()
	if first.User.Email != "ada@north.example" || first.User.Name != "Ada Byron" || len(first.User.Roles) != 1 || first.User.Roles[0].SystemKey != capability.Candidate ||
		first.User.OrgUnits[0].ID != c.scope.OrgUnit {
		t.Errorf("got %+v", first.User)
	}
	if first.StepUpProof != nil {
		t.Error("a sign-in with the provider gave a proof that a mail was read")
	}
	scope, err := c.authority.Authenticate(t.Context(), first.Token.Token)
	if err != nil || scope.Actor.ID != first.User.ID {
		t.Errorf("the token gives %+v, %v", scope, err)
	}
	// The address is another one now, and unverified: it is the same person.
	c.provider.claims["email"], c.provider.claims["email_verified"] = "byron@elsewhere.example", false
	if again := c.mustSignIn(); again.User.ID != first.User.ID || again.User.Email != "ada@north.example" {
		t.Errorf("got %+v, want %s", again.User, first.User.ID)
	}
	if n := c.accounts(); n != 1 {
		t.Errorf("%d accounts, want 1", n)
	}
}

// Some providers put profile and address into UserInfo only.
func TestWhatTheTokenLacksComesFromUserInfo(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	c.provider.claims = map[string]any{"sub": "s-1"}
	c.provider.userInfo = map[string]any{"sub": "s-1", "email": "ada@north.example", "email_verified": "true", "given_name": "Ada", "family_name": "Byron"}
	if s := c.mustSignIn(); s.User.Email != "ada@north.example" || s.User.Name != "Ada Byron" {
		t.Errorf("got %+v", s.User)
	}
	// Nobody takes the word of UserInfo for an address that the token has, nor an answer about somebody else.
	c.provider.claims = map[string]any{"sub": "s-2", "email": "bo@north.example"}
	c.provider.userInfo = map[string]any{"sub": "s-2", "email": "x@north.example", "email_verified": true}
	_, err := c.signIn()
	want(t, err, errs.SignInRefused, "email_unverified")
	c.provider.claims = map[string]any{"sub": "s-3"}
	_, err = c.signIn()
	want(t, err, errs.SignInRefused, "provider_answer")
}

func TestTokensThatDoNotHoldSignInNobody(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	for name, token := range map[string]func(jwt.MapClaims){
		"of another issuer":         func(m jwt.MapClaims) { m["iss"] = "https://evil.example" },
		"for another client":        func(m jwt.MapClaims) { m["aud"] = "other" },
		"for two, and nobody named": func(m jwt.MapClaims) { m["aud"] = []string{"assess", "other"} },
		"for two, another named":    func(m jwt.MapClaims) { m["aud"], m["azp"] = []string{"assess", "other"}, "other" },
		"of another party":          func(m jwt.MapClaims) { m["azp"] = "other" },
		"of another sign-in":        func(m jwt.MapClaims) { m["nonce"] = "another" },
		"without a nonce":           func(m jwt.MapClaims) { delete(m, "nonce") },
		"expired":                   func(m jwt.MapClaims) { m["exp"] = time.Now().Add(-time.Minute).Unix() },
		"without an end":            func(m jwt.MapClaims) { delete(m, "exp") },
		"of nobody":                 func(m jwt.MapClaims) { delete(m, "sub") },
		"of somebody endless":       func(m jwt.MapClaims) { m["sub"] = strings.Repeat("x", 256) },
	} {
		t.Log(name)
		c.provider.token = token
		_, err := c.signIn()
		want(t, err, errs.SignInRefused, "provider_answer")
	}
	c.provider.token = nil
	other := newIdentityProvider(t)
	for name, sign := range map[string]func(jwt.MapClaims) string{
		"algorithm none": func(m jwt.MapClaims) string {
			s, _ := jwt.NewWithClaims(jwt.SigningMethodNone, m).SignedString(jwt.UnsafeAllowNoneSignatureType)
			return s
		},
		"a shared secret": func(m jwt.MapClaims) string {
			s, _ := jwt.NewWithClaims(jwt.SigningMethodHS256, m).SignedString([]byte("assess"))
			return s
		},
		"an algorithm not agreed": func(m jwt.MapClaims) string {
			s, _ := jwt.NewWithClaims(jwt.SigningMethodRS512, m).SignedString(c.provider.key)
			return s
		},
		"another's key": other.signed,
		"no token":      func(jwt.MapClaims) string { return "" },
	} {
		t.Log(name)
		c.provider.sign = sign
		_, err := c.signIn()
		want(t, err, errs.SignInRefused, "provider_answer")
	}
	if n := c.accounts(); n != 0 {
		t.Errorf("%d accounts came of it", n)
	}
	c.provider.sign = nil
	c.mustSignIn()
}

func TestKeysAreFollowedWhenTheyRotate(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	c.mustSignIn()
	c.provider.rotate(t)
	c.mustSignIn()
}

// A sign-in comes back once, in time, in the browser that began it.
func TestASignInIsOfItsBrowserAndOnce(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	mine, another := rand.Text(), rand.Text()
	q := c.begin(mine)
	for _, browser := range []string{another, ""} {
		_, err := c.back(q, browser)
		want(t, err, errs.SignInExpired, "")
	}
	// That used nothing up.
	_, err := c.back(q, mine)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.back(q, mine)
	want(t, err, errs.SignInExpired, "")
	for _, state := range []string{"", "x", access.NewToken(c.scope.Tenant), access.NewToken(ids.New())} {
		_, err = c.back(url.Values{"state": {state}, "code": {"x"}}, mine)
		want(t, err, errs.SignInExpired, "")
	}
	q = c.begin(mine)
	c.write(func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update sign_in_flows set expires_at = now() - interval '1 second' where tenant_id = $1", tx.Tenant())
		return err
	})
	_, err = c.back(q, mine)
	want(t, err, errs.SignInExpired, "")
	// A code of somebody else's sign-in is not taken for mine: the provider holds it against the verifier.
	q, other := c.begin(mine), c.begin(another)
	_, err = c.back(url.Values{"state": {q.Get("state")}, "code": {other.Get("code")}}, mine)
	want(t, err, errs.SignInRefused, "provider_answer")
	q = c.begin(mine)
	_, err = c.back(url.Values{"state": {q.Get("state")}, "error": {"access_denied"}}, mine)
	want(t, err, errs.SignInRefused, "denied")
}

// RFC 9207: the answer of one provider is not taken for that of another.
func TestAnAnswerOfAnotherProviderIsRefused(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	mine := rand.Text()
	q := c.begin(mine)
	q.Set("iss", "https://evil.example")
	_, err := c.back(q, mine)
	want(t, err, errs.SignInRefused, "provider_answer")
	// One that says that it names itself must do so; others need not.
	q = c.begin(mine)
	q.Del("iss")
	_, err = c.back(q, mine)
	if err != nil {
		t.Error(err)
	}
	other := newCollege(t)
	other.provider.config["authorization_response_iss_parameter_supported"] = true
	q = other.begin(mine)
	q.Del("iss")
	_, err = other.back(q, mine)
	want(t, err, errs.SignInRefused, "provider_answer")
}

func TestWhoseAddressCounts(t *testing.T) {
	t.Parallel()
	for name, step := range map[string]struct {
		input  func(*idp.Input)
		claims map[string]any
		code   errs.Code
		reason string
		email  string
	}{
		"verified, of the domain": {claims: map[string]any{"email": "ADA@north.example", "email_verified": true}, email: "ADA@north.example"},
		"unverified":              {claims: map[string]any{"email": "ada@north.example", "email_verified": false}, code: errs.SignInRefused, reason: "email_unverified"},
		"nobody says":             {claims: map[string]any{"email": "ada@north.example"}, code: errs.SignInRefused, reason: "email_unverified"},
		"another domain":          {claims: map[string]any{"email": "ada@evil.example", "email_verified": true}, code: errs.SignInRefused, reason: "domain_not_allowed"},
		"a domain below":          {claims: map[string]any{"email": "ada@x.north.example", "email_verified": true}, code: errs.SignInRefused, reason: "domain_not_allowed"},
		"none at all":             {claims: map[string]any{}},
		"none is believed": {input: func(in *idp.Input) { in.EmailTrust = idp.TrustNever },
			claims: map[string]any{"email": "ada@north.example", "email_verified": true}},
		"only people who are here": {input: func(in *idp.Input) { in.Provisioning = idp.ProvisionOff },
			claims: map[string]any{"email": "ada@north.example", "email_verified": true}, code: errs.SignInRefused, reason: "no_account"},
		"only who was invited": {input: func(in *idp.Input) { in.Provisioning = idp.ProvisionInvited },
			claims: map[string]any{"email": "ada@north.example", "email_verified": true}, code: errs.SignInRefused, reason: "no_account"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			change := step.input
			if change == nil {
				change = func(*idp.Input) {}
			}
			c := newCollege(t, change)
			c.provider.claims, c.provider.userInfo = step.claims, map[string]any{"sub": "s-1"}
			c.provider.claims["sub"], c.provider.claims["name"] = "s-1", "Ada"
			s, err := c.signIn()
			if step.code != "" {
				want(t, err, step.code, step.reason)
				return
			}
			if err != nil || s.User.Email != step.email {
				t.Errorf("got %+v, %v", s.User, err)
			}
		})
	}
}

// An address links an account once, and never to somebody who may do more than take exams.
func TestWhoIsHereIsLinkedByAddress(t *testing.T) {
	t.Parallel()
	c := newCollege(t, func(in *idp.Input) { in.Provisioning = idp.ProvisionOff })
	ada := c.user(people.UserInput{Email: "Ada@north.example", Roles: []string{capability.Candidate}})
	if s := c.mustSignIn(); s.User.ID != ada.ID {
		t.Errorf("got %s, want %s", s.User.ID, ada.ID)
	}
	// The address was given to somebody else.
	c.provider.claims["sub"] = "s-2"
	_, err := c.signIn()
	want(t, err, errs.AccountLinkNeeded, "")
	for _, role := range []string{capability.Author, capability.TenantAdmin} {
		c.user(people.UserInput{Email: role + "@north.example", Roles: []string{capability.Candidate, role}})
		c.provider.claims["sub"], c.provider.claims["email"] = role, role+"@north.example"
		_, err = c.signIn()
		want(t, err, errs.AccountLinkNeeded, "")
		c.provider.claims["email_verified"] = false
		_, err = c.signIn()
		want(t, err, errs.SignInRefused, "email_unverified")
		c.provider.claims["email_verified"] = true
	}
	// An administrator links them.
	admin := c.user(people.UserInput{Email: "boss@north.example", Roles: []string{capability.TenantAdmin}})
	c.write(func(tx *db.Tx) error {
		_, err := people.LinkAccount(t.Context(), tx, admin.ID, people.AccountInput{Provider: c.idp.ID, Subject: "boss"})
		return err
	})
	c.provider.claims["sub"] = "boss"
	if s := c.mustSignIn(); s.User.ID != admin.ID {
		t.Errorf("got %s, want %s", s.User.ID, admin.ID)
	}
}

func TestASignInRevivesNobody(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	ada := c.mustSignIn().User
	bo := c.user(people.UserInput{Email: "bo@north.example"})
	c.write(func(tx *db.Tx) error {
		_, err := people.DeactivateUser(t.Context(), tx, ada.ID)
		if err == nil {
			_, err = people.DeactivateUser(t.Context(), tx, bo.ID)
		}
		return err
	})
	_, err := c.signIn()
	want(t, err, errs.SignInRefused, "deactivated")
	c.provider.claims["sub"], c.provider.claims["email"] = "s-2", "bo@north.example"
	_, err = c.signIn()
	want(t, err, errs.SignInRefused, "deactivated")
}

func TestWhoWasInvitedComesIn(t *testing.T) {
	t.Parallel()
	c := newCollege(t, func(in *idp.Input) { in.Provisioning = idp.ProvisionInvited })
	var invited []ids.ID
	c.write(func(tx *db.Tx) error {
		var err error
		invited, err = people.InviteAll(t.Context(), tx, []string{"ada@north.example"})
		return err
	})
	if s := c.mustSignIn(); s.User.ID != invited[0] || s.User.Status != models.UserActive || len(s.User.OrgUnits) != 1 {
		t.Errorf("got %+v", s.User)
	}
}

func TestClaimsPutPeopleIntoGroups(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	var red, blue, hand people.GroupDetail
	c.write(func(tx *db.Tx) error {
		for name, to := range map[string]*people.GroupDetail{"red": &red, "blue": &blue, "hand": &hand} {
			var err error
			*to, err = people.CreateGroup(t.Context(), tx, people.GroupInput{Name: name})
			if err != nil {
				return err
			}
		}
		return nil
	})
	c.update(idp.Patch{Groups: &[]models.ClaimedGroup{{Value: "R", GroupID: red.ID}, {Value: "B", GroupID: blue.ID}}})
	c.provider.claims["groups"] = []string{"R", "other"}
	ada := c.mustSignIn().User
	c.write(func(tx *db.Tx) error {
		_, err := people.AddMembers(t.Context(), tx, hand.ID, people.MembersInput{UserIDs: []ids.ID{ada.ID}})
		return err
	})
	in := func() (names []string) {
		c.write(func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `select array(select g.name from group_members m join groups g on g.tenant_id = m.tenant_id and g.id = m.group_id
				where m.tenant_id = $1 and m.user_id = $2 order by g.name)`, tx.Tenant(), ada.ID).Scan(&names)
		})
		return names
	}
	if diff := cmp.Diff([]string{"hand", "red"}, in()); diff != "" {
		t.Error(diff)
	}
	c.provider.claims["groups"] = "B"
	c.mustSignIn()
	if diff := cmp.Diff([]string{"blue", "hand"}, in()); diff != "" {
		t.Error(diff)
	}
	delete(c.provider.claims, "groups")
	c.provider.userInfo = map[string]any{"sub": "s-1"}
	c.mustSignIn()
	if diff := cmp.Diff([]string{"hand"}, in()); diff != "" {
		t.Error(diff)
	}
}

// A provider that is away takes nobody's session, and the next try works.
func TestAProviderThatIsAwaySaysSo(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	session := c.mustSignIn()
	for path, status := range map[string]int{"/token": 503, "/userinfo": 500} {
		c.provider.broken[path] = status
		delete(c.provider.claims, "name")
		_, err := c.signIn()
		want(t, err, errs.ProviderUnavailable, "")
		delete(c.provider.broken, path)
	}
	// Keys that cannot be read are no fault of the token.
	c.provider.rotate(t)
	c.provider.broken["/keys"] = 500
	_, err := c.signIn()
	want(t, err, errs.ProviderUnavailable, "its keys cannot be read")
	c.provider.broken = map[string]int{"/.well-known/openid-configuration": 500}
	cold := idp.NewDesk(c.store, c.authority, c.provider.client(), "https://assess.example.org")
	warm := c.desk
	c.desk = cold
	_, err = c.start(rand.Text())
	want(t, err, errs.ProviderUnavailable, "it answers with the status 500")
	c.desk = warm
	if _, err := c.authority.Authenticate(t.Context(), session.Token.Token); err != nil {
		t.Errorf("the session is gone: %v", err)
	}
}

func TestTheProviderSignsPeopleOut(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	session := c.mustSignIn()
	claims := func(change func(jwt.MapClaims)) jwt.MapClaims {
		m := jwt.MapClaims{"iss": c.provider.URL, "aud": "assess", "sub": "s-1", "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(), "jti": rand.Text(),
			"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}}}
		change(m)
		return m
	}
	out := func(token string) error { return c.desk.Logout(t.Context(), c.tenant, "campus", token, "192.0.2.1") }
	for name, change := range map[string]func(jwt.MapClaims){
		"an ID token":        func(m jwt.MapClaims) { delete(m, "events") },
		"with a nonce":       func(m jwt.MapClaims) { m["nonce"] = "x" },
		"for another client": func(m jwt.MapClaims) { m["aud"] = "other" },
		"of another issuer":  func(m jwt.MapClaims) { m["iss"] = "https://evil.example" },
		"expired":            func(m jwt.MapClaims) { m["exp"] = time.Now().Add(-time.Minute).Unix() },
	} {
		t.Log(name)
		want(t, out(c.provider.signed(claims(change))), errs.SignInRefused, "provider_answer")
	}
	if err := out(c.provider.signed(claims(func(m jwt.MapClaims) { m["sub"] = "nobody" }))); err != nil {
		t.Error(err)
	}
	if _, err := c.authority.Authenticate(t.Context(), session.Token.Token); err != nil {
		t.Fatalf("the session ended too early: %v", err)
	}
	if err := out(c.provider.signed(claims(func(jwt.MapClaims) {}))); err != nil {
		t.Fatal(err)
	}
	_, err := c.authority.Authenticate(t.Context(), session.Token.Token)
	want(t, err, errs.Unauthenticated, "")
}

func TestTheSecretIsSealedAndUsed(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	c.provider.secret = "hunter2hunter2"
	_, err := c.signIn()
	want(t, err, errs.SignInRefused, "provider_answer")
	var row []byte
	c.write(func(tx *db.Tx) error {
		_, err := idp.SetSecret(t.Context(), tx, c.authority, c.idp.ID, idp.Secret{Secret: "hunter2hunter2"})
		if err != nil {
			return err
		}
		return tx.QueryRow(t.Context(), "select sealed_secret from identity_providers where tenant_id = $1", tx.Tenant()).Scan(&row)
	})
	if len(row) == 0 || strings.Contains(string(row), "hunter2") {
		t.Errorf("stored as %q", row)
	}
	c.mustSignIn()
	// Changing something else keeps it.
	c.update(idp.Patch{Name: ptr("South College")})
	c.mustSignIn()
}

func TestADisabledProviderSignsInNobody(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	mine := rand.Text()
	q := c.begin(mine)
	c.write(func(tx *db.Tx) error {
		_, err := idp.Disable(t.Context(), tx, c.idp.ID)
		return err
	})
	_, err := c.back(q, mine)
	want(t, err, errs.SignInExpired, "")
	_, err = c.start(mine)
	want(t, err, errs.NotFound, "")
	if all, err := c.desk.Buttons(t.Context(), c.tenant); err != nil || len(all) != 0 {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestWhereASignInLeads(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	for name, to := range map[string]access.Redirect{
		"nowhere":          {},
		"elsewhere":        {URI: "https://evil.example", Challenge: strings.Repeat("x", 43)},
		"without a secret": {URI: app},
	} {
		t.Log(name)
		_, err := c.desk.Start(t.Context(), idp.StartInput{Tenant: c.tenant, Provider: "campus", Redirect: to}, "b", "192.0.2.1")
		want(t, err, errs.ValidationFailed, "")
	}
	for _, at := range [][2]string{{"nobody", "campus"}, {c.tenant, "nobody"}} {
		_, err := c.desk.Start(t.Context(), idp.StartInput{Tenant: at[0], Provider: at[1], Redirect: access.Redirect{Home: true, Challenge: strings.Repeat("x", 43)}}, "b", "192.0.2.1")
		want(t, err, errs.NotFound, "")
	}
}

// Who connects a provider gives nobody what they do not have, and administrators are made by hand.
func TestWhatAProviderMayGive(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	roles := map[string]ids.ID{}

	c.write(func(tx *db.Tx) error {
		for _, key := range []string{capability.Candidate, capability.Author, capability.TenantAdmin, capability.BillingAdmin} {
			role, err := people.FindRole(t.Context(), tx, key)
			if err != nil {
				return err
			}
			roles[key] = role.ID
		}
		return nil
	})

	all := make([]capability.Capability, len(capability.All))
	for i, e := range capability.All {
		all[i] = e.Capability
	}
	admin := sample.As(c.scope, c.user(people.UserInput{Name: "Admin"}).ID, all...)
	few := sample.As(c.scope, c.user(people.UserInput{Name: "Few"}).ID, capability.IntegrationsManage, capability.SessionsTake, capability.GroupsJoin)
	make := func(scope db.Scope, change func(*idp.Input)) error {
		input := idp.Input{Slug: "x" + strings.ToLower(rand.Text()), Name: "X", Issuer: c.provider.URL, ClientID: "assess", OrgUnitID: c.scope.OrgUnit}
		change(&input)
		return c.store.Write(t.Context(), scope, func(tx *db.Tx) error {
			_, err := idp.Create(t.Context(), tx, input)
			return err
		})
	}
	role := func(key string) func(*idp.Input) { return func(in *idp.Input) { in.RoleIDs = []ids.ID{roles[key]} } }
	for name, step := range map[string]struct {
		scope  db.Scope
		change func(*idp.Input)
		path   string
	}{
		"a role that one holds":   {few, role(capability.Candidate), ""},
		"a role beyond one's own": {few, role(capability.Author), "roleIds[0]"},
		"Tenant Admin":            {admin, role(capability.TenantAdmin), "roleIds[0]"},
		"Billing Admin":           {admin, role(capability.BillingAdmin), "roleIds[0]"},
		"by an operator":          {c.scope, role(capability.TenantAdmin), ""},
		"no such role":            {admin, func(in *idp.Input) { in.RoleIDs = []ids.ID{ids.New()} }, "roleIds[0]"},
		"no such org unit":        {admin, func(in *idp.Input) { in.OrgUnitID = ids.New() }, "orgUnitId"},
		"no such group":           {admin, func(in *idp.Input) { in.Groups = []models.ClaimedGroup{{Value: "x", GroupID: ids.New()}} }, "groups[0].groupId"},
		"everybody of Microsoft":  {admin, func(in *idp.Input) { in.Issuer = "https://login.microsoftonline.com/common/v2.0" }, "issuer"},
		"one tenant of Microsoft": {admin, func(in *idp.Input) {
			in.Issuer = "https://login.microsoftonline.com/8a3e0000-0000-4000-8000-000000000000/v2.0"
		}, ""},
		"without encryption":        {admin, func(in *idp.Input) { in.Issuer = "http://login.example.org" }, "issuer"},
		"trust without a domain":    {admin, func(in *idp.Input) { in.EmailTrust = idp.TrustVerified }, "domains"},
		"a domain that is none":     {admin, func(in *idp.Input) { in.Domains = []string{"a b"} }, "domains[0]"},
		"a slug that is none":       {admin, func(in *idp.Input) { in.Slug = "A b" }, "slug"},
		"a scope that is none":      {admin, func(in *idp.Input) { in.Scopes = []string{"a b"} }, "scopes[1]"},
		"a word that is no choice":  {admin, func(in *idp.Input) { in.Provisioning = "always" }, "provisioning"},
		"a trust that is no choice": {admin, func(in *idp.Input) { in.EmailTrust = "always" }, "emailTrust"},
	} {
		t.Log(name)
		err := make(step.scope, step.change)
		switch {
		case step.path == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case step.path != "" && (!errors.Is(err, errs.ValidationFailed) || !strings.Contains(mention(err), step.path)):
			t.Errorf("%s: got %v, want a problem of %s", name, mention(err), step.path)
		}
	}
	want(t, make(sample.As(c.scope, ids.New(), capability.IntegrationsRead), func(*idp.Input) {}), errs.Forbidden, "")
}

func mention(err error) string {
	var paths []string
	if err != nil {
		for _, f := range errs.Of(err).Fields {
			paths = append(paths, f.Path)
		}
	}
	return strings.Join(paths, " ")
}

// The accounts of an issuer mean nobody of another one.
func TestTheIssuerStaysOnceSomebodyHasAnAccount(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	other := newIdentityProvider(t)
	change := func() error {
		return c.store.Write(t.Context(), c.scope, func(tx *db.Tx) error {
			_, err := idp.Update(t.Context(), tx, c.idp.ID, idp.Patch{Issuer: &other.URL})
			return err
		})
	}
	if err := change(); err != nil {
		t.Fatal(err)
	}
	c.update(idp.Patch{Issuer: &c.provider.URL})
	c.mustSignIn()
	want(t, change(), errs.ValidationFailed, "")
}

func TestTheTestSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	tested := func(desk *idp.Desk) idp.Tested {
		t.Helper()
		got, err := desk.Test(t.Context(), c.scope, c.idp.ID)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := tested(c.desk); !got.OK || got.RedirectURI != "https://assess.example.org/api/v1/auth/oidc/callback" {
		t.Errorf("got %+v", got)
	}
	says := func(got idp.Tested, words string) {
		t.Helper()
		var all []string
		for _, check := range got.Checks {
			if !check.OK {
				all = append(all, check.Message)
			}
		}
		if got.OK || !strings.Contains(strings.Join(all, " "), words) {
			t.Errorf("got %q, want %q", all, words)
		}
	}
	c.provider.config = map[string]any{"issuer": c.provider.URL + "/"}
	says(tested(c.desk), "names another issuer")
	c.provider.config = map[string]any{"code_challenge_methods_supported": []string{"plain"}, "token_endpoint_auth_methods_supported": []string{"client_secret_post"}}
	says(tested(c.desk), "PKCE")
	says(tested(c.desk), "none is set")
	c.provider.config, c.provider.broken = map[string]any{}, map[string]int{"/keys": 404}
	says(tested(c.desk), "Its keys cannot be read: it answers with the status 404")
	c.provider.broken = map[string]int{"/.well-known/openid-configuration": 302}
	says(tested(c.desk), "redirect")
	c.provider.broken = nil
	strict := idp.NewDesk(c.store, c.authority, outgoingDefault(), "https://assess.example.org")
	says(tested(strict), "does not call its address")
	c.provider.Close()
	says(tested(c.desk), "cannot be reached")
}

// What waits for a browser longer than a day is swept, and forgetting a person takes who they are elsewhere along.
func TestAccountsAreListedLinkedAndUnlinked(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	s := c.mustSignIn()
	list := func(user ids.ID) (all db.List[people.Account], err error) {
		err = c.store.Read(context.Background(), c.scope, func(tx *db.Tx) error {
			all, err = people.ListAccounts(t.Context(), tx, user, db.Page{})
			return err
		})
		return all, err
	}
	all, err := list(s.User.ID)
	if err != nil || len(all.Items) != 1 || all.Items[0].Subject != "s-1" || all.Items[0].SourceName != "North College" || all.Items[0].LastSeenAt == nil {
		t.Fatalf("got %+v, %v", all, err)
	}
	bo := c.user(people.UserInput{Email: "bo@north.example", Roles: []string{capability.Author}})
	few := sample.As(c.scope, ids.New(), capability.UsersManage, capability.SessionsTake)
	for name, step := range map[string]struct {
		scope db.Scope
		user  ids.ID
		input people.AccountInput
		code  errs.Code
	}{
		"taken":                          {c.scope, bo.ID, people.AccountInput{Provider: c.idp.ID, Subject: "s-1"}, errs.AccountTaken},
		"of somebody mightier":           {few, bo.ID, people.AccountInput{Provider: c.idp.ID, Subject: "s-9"}, errs.Forbidden},
		"of no provider":                 {c.scope, bo.ID, people.AccountInput{Provider: ids.New(), Subject: "s-9"}, errs.ValidationFailed},
		"without a subject":              {c.scope, bo.ID, people.AccountInput{Provider: c.idp.ID}, errs.ValidationFailed},
		"of nobody":                      {c.scope, ids.New(), people.AccountInput{Provider: c.idp.ID, Subject: "s-9"}, errs.NotFound},
		"by who does not manage anybody": {sample.As(c.scope, ids.New(), capability.UsersRead), bo.ID, people.AccountInput{Provider: c.idp.ID, Subject: "s-9"}, errs.Forbidden},
	} {
		t.Log(name)
		err := c.store.Write(t.Context(), step.scope, func(tx *db.Tx) error {
			_, err := people.LinkAccount(t.Context(), tx, step.user, step.input)
			return err
		})
		want(t, err, step.code, "")
	}
	c.write(func(tx *db.Tx) error { return people.UnlinkAccount(t.Context(), tx, s.User.ID, all.Items[0].ID) })
	if _, err := c.authority.Authenticate(t.Context(), s.Token.Token); !errors.Is(err, errs.Unauthenticated) {
		t.Errorf("the token still holds: %v", err)
	}
	if all, err := list(s.User.ID); err != nil || len(all.Items) != 0 {
		t.Errorf("got %+v, %v", all, err)
	}
}
