package idp_test

import (
	"crypto/rand"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/idp"
)

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
