package idp_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

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
	"assess/pkg/people/policy"
)

const strong = "urn:example:two-factors"

func steppingUp(input *idp.Input) {
	input.StepUpACR, input.StepUpAMR = []string{strong, "gold"}, []string{"mfa"}
}

// own asks as a user for an address to go on at the provider.
func (c *college) own(user ids.ID, ask func(*db.Tx, idp.OwnInput) (idp.Address, error)) (string, error) {
	c.Helper()
	hash := sha256.Sum256([]byte(verifier))
	var to idp.Address
	scope := sample.As(c.scope, user)
	c.write(func(tx *db.Tx) error {
		proof, err := c.authority.IssueProof(c.Context(), tx, user, access.ByMagicLink)
		scope.Proof = proof.ID
		return err
	})
	err := c.store.Write(c.Context(), scope, func(tx *db.Tx) error {
		var err error
		to, err = ask(tx, idp.OwnInput{Provider: c.idp.Slug, URI: app, Challenge: base64.RawURLEncoding.EncodeToString(hash[:]), State: "of the app"})
		return err
	})
	return to.URL, err
}

func (c *college) stepUpOf(user ids.ID) (string, error) {
	c.Helper()
	return c.own(user, func(tx *db.Tx, input idp.OwnInput) (idp.Address, error) {
		return c.desk.AskStepUp(c.Context(), tx, input)
	})
}

func (c *college) linkOf(user ids.ID) (string, error) {
	c.Helper()
	return c.own(user, func(tx *db.Tx, input idp.OwnInput) (idp.Address, error) {
		return c.desk.AskLink(c.Context(), tx, input)
	})
}

// follow takes a browser from such an address over the provider to a session.
func (c *college) follow(address string) (access.Session, error) {
	c.Helper()
	u, err := url.Parse(address)
	if err != nil || u.Path != idp.ContinuePath {
		c.Fatalf("got the address %s, %v", address, err)
	}
	browser := rand.Text()
	to, err := c.desk.Continue(c.Context(), u.Query().Get("ticket"), browser, "192.0.2.1")
	if err != nil {
		return access.Session{}, err
	}
	return c.arrive(c.back(c.provider.authorize(c.T, to), browser))
}

// stepUp goes the whole way.
func (c *college) stepUp(user ids.ID) (access.Session, error) {
	c.Helper()
	address, err := c.stepUpOf(user)
	if err != nil {
		c.Fatal(err)
	}
	return c.follow(address)
}

func TestAStepUpAtTheProviderGivesAProof(t *testing.T) {
	t.Parallel()
	c := newCollege(t, steppingUp)
	ada := c.mustSignIn().User
	c.provider.claims["auth_time"], c.provider.claims["acr"] = time.Now().Unix(), strong
	s, err := c.stepUp(ada.ID)
	if err != nil || s.User.ID != ada.ID || s.StepUpProof == nil || s.StepUpProof.Method != access.ByOIDC {
		t.Fatalf("got %+v, %v", s, err)
	}
	if asked := c.provider.asked; asked.Get("max_age") != "300" || asked.Get("acr_values") != strong+" gold" {
		t.Errorf("the provider was asked for %v", asked)
	}
	// The proof is good for one call of this person, and the policy may say that none of providers counts.
	prove := func(user ids.ID) error {
		scope := sample.As(c.scope, user)
		scope.Proof = s.StepUpProof.ID
		return c.store.Write(t.Context(), scope, func(tx *db.Tx) error { return policy.Prove(t.Context(), tx) })
	}
	want(t, prove(ids.New()), errs.StepUpRequired, "")
	if err := prove(ada.ID); err != nil {
		t.Error(err)
	}
	err = prove(ada.ID)
	want(t, err, errs.StepUpRequired, "")
	details := errs.Of(err).Details
	if diff := cmp.Diff([]idp.StepUp{{Provider: "campus", Name: "North College", ACRValues: []string{strong, "gold"}, MaxAge: 300}}, details["providers"]); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(policy.Methods, details["methods"]); diff != "" {
		t.Error(diff)
	}
	// Somebody who has no account there is not sent there.
	err = prove(c.user(people.UserInput{Name: "Bo"}).ID)
	if got := errs.Of(err).Details; got["providers"] != nil || slices.Contains(got["methods"].([]string), access.ByOIDC) {
		t.Errorf("got %v", got)
	}
	// An ordinary sign-in requests none of it, and gives no proof, however strong it was.
	if s := c.mustSignIn(); s.StepUpProof != nil || c.provider.asked.Has("max_age") || c.provider.asked.Has("acr_values") {
		t.Errorf("got %+v after asking for %v", s.StepUpProof, c.provider.asked)
	}
}

// What the provider does not say does not count, nor what nobody signed.
func TestAWeakOrOldSignInIsNoStepUp(t *testing.T) {
	t.Parallel()
	c := newCollege(t, steppingUp)
	ada := c.mustSignIn().User
	now := time.Now()
	for name, step := range map[string]struct {
		claims map[string]any
		reason string
	}{
		"no acr":                     {map[string]any{"auth_time": now.Unix()}, "acr"},
		"another acr":                {map[string]any{"auth_time": now.Unix(), "acr": "0"}, "acr"},
		"another amr":                {map[string]any{"auth_time": now.Unix(), "amr": []string{"pwd"}}, "acr"},
		"an acr in a list":           {map[string]any{"auth_time": now.Unix(), "acr": []string{strong}}, "acr"},
		"both acr in one":            {map[string]any{"auth_time": now.Unix(), "acr": strong + " gold"}, "acr"},
		"no auth_time":               {map[string]any{"acr": strong}, "auth_time"},
		"an auth_time of long ago":   {map[string]any{"auth_time": now.Add(-7 * time.Minute).Unix(), "acr": strong}, "auth_time"},
		"an auth_time of tomorrow":   {map[string]any{"auth_time": now.Add(24 * time.Hour).Unix(), "acr": strong}, "auth_time"},
		"an auth_time that is none":  {map[string]any{"auth_time": "now", "acr": strong}, "acr"},
		"an acr":                     {map[string]any{"auth_time": now.Unix(), "acr": "gold"}, ""},
		"an amr among others":        {map[string]any{"auth_time": now.Unix(), "acr": "0", "amr": []string{"pwd", "mfa"}}, ""},
		"a sign-in a moment ago":     {map[string]any{"auth_time": now.Add(-4 * time.Minute).Unix(), "acr": strong}, ""},
		"an auth_time with fraction": {map[string]any{"auth_time": float64(now.Unix()) + 0.5, "acr": strong}, ""},
	} {
		t.Log(name)
		c.provider.claims = map[string]any{"sub": "s-1"}
		for claim, value := range step.claims {
			c.provider.claims[claim] = value
		}
		// UserInfo says everything right, and is not asked.
		c.provider.userInfo = map[string]any{"sub": "s-1", "auth_time": now.Unix(), "acr": strong}
		s, err := c.stepUp(ada.ID)
		if step.reason != "" {
			want(t, err, errs.StepUpInsufficient, step.reason)
			continue
		}
		if err != nil || s.StepUpProof == nil {
			t.Errorf("got %+v, %v", s.StepUpProof, err)
		}
	}
	c.update(idp.Patch{StepUpMaxAge: ptr(600)})
	c.provider.claims = map[string]any{"sub": "s-1", "acr": strong, "auth_time": now.Add(-7 * time.Minute).Unix()}
	if _, err := c.stepUp(ada.ID); err != nil || c.provider.asked.Get("max_age") != "600" {
		t.Errorf("got %v after asking for %v", err, c.provider.asked)
	}
}

func TestAStepUpIsOfThePersonWhoAsked(t *testing.T) {
	t.Parallel()
	c := newCollege(t, steppingUp)
	ada := c.mustSignIn().User
	c.provider.claims["auth_time"], c.provider.claims["acr"] = time.Now().Unix(), strong
	address, err := c.stepUpOf(ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	c.provider.claims["sub"] = "s-2" // somebody that nobody knows
	_, err = c.follow(address)
	want(t, err, errs.StepUpInsufficient, "account")
	c.provider.claims["email"] = "bo@north.example"
	bo := c.mustSignIn().User
	_, err = c.stepUp(ada.ID)
	want(t, err, errs.StepUpInsufficient, "account")
	// An address is good once, no matter who has it.
	_, err = c.follow(address)
	want(t, err, errs.SignInExpired, "")
	for _, ticket := range []string{"", "x", access.NewToken(c.scope.Tenant), access.NewToken(ids.New())} {
		_, err = c.desk.Continue(t.Context(), ticket, "b", "192.0.2.1")
		want(t, err, errs.SignInExpired, "")
	}
	// A flow that nobody continued yet comes back from no provider.
	address, err = c.stepUpOf(bo.ID)
	if err != nil {
		t.Fatal(err)
	}
	u, _ := url.Parse(address)
	for _, browser := range []string{"", "x"} {
		_, err = c.back(url.Values{"state": {u.Query().Get("ticket")}, "code": {"x"}}, browser)
		want(t, err, errs.SignInExpired, "")
	}
	c.write(func(tx *db.Tx) error {
		_, err := people.DeactivateUser(t.Context(), tx, bo.ID)
		return err
	})
	_, err = c.follow(address)
	want(t, err, errs.SignInRefused, "deactivated")
	// A provider that cannot do it says so.
	mine := rand.Text()
	address, _ = c.stepUpOf(ada.ID)
	u, _ = url.Parse(address)
	to, err := c.desk.Continue(t.Context(), u.Query().Get("ticket"), mine, "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.back(url.Values{"state": {c.provider.authorize(t, to).Get("state")}, "error": {"unmet_authentication_requirements"}}, mine)
	want(t, err, errs.StepUpInsufficient, "acr")
}

func TestWhoCanAskForAStepUp(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	ada := c.mustSignIn().User
	_, err := c.stepUpOf(ada.ID)
	if mention(err) != "provider" {
		t.Errorf("a provider without step-up: got %v", err)
	}
	c.update(idp.Patch{StepUpACR: &[]string{strong}})
	_, err = c.stepUpOf(c.user(people.UserInput{Name: "Bo"}).ID)
	if mention(err) != "provider" {
		t.Errorf("somebody without an account: got %v", err)
	}
	_, err = c.own(ada.ID, func(tx *db.Tx, input idp.OwnInput) (idp.Address, error) {
		input.URI = "https://evil.example"
		return c.desk.AskStepUp(t.Context(), tx, input)
	})
	if mention(err) != "redirectUri" {
		t.Errorf("another address: got %v", err)
	}
	c.update(idp.Patch{Status: ptr(models.ProviderDisabled)})
	_, err = c.stepUpOf(ada.ID)
	want(t, err, errs.NotFound, "")
	for _, patch := range []idp.Patch{{StepUpACR: &[]string{"a b"}}, {StepUpAMR: &[]string{""}}, {StepUpACR: &[]string{"a"}, StepUpMaxAge: ptr(4000)}, {StepUpMaxAge: ptr(-1)}} {
		err := c.store.Write(t.Context(), c.scope, func(tx *db.Tx) error {
			_, err := idp.Update(t.Context(), tx, c.idp.ID, patch)
			return err
		})
		if !strings.HasPrefix(mention(err), "stepUp") {
			t.Errorf("%+v: got %v", patch, err)
		}
	}
}

// Who may do more than take exams is not linked by an address: they sign in in another way, and link the account themselves.
func TestPeopleLinkTheirAccountThemselves(t *testing.T) {
	t.Parallel()
	c := newCollege(t, func(input *idp.Input) { input.Provisioning = idp.ProvisionOff })
	boss := c.user(people.UserInput{Email: "ada@north.example", Roles: []string{capability.TenantAdmin}})
	_, err := c.signIn()
	want(t, err, errs.AccountLinkNeeded, "")
	link := func(user ids.ID) (access.Session, error) {
		address, err := c.linkOf(user)
		if err != nil {
			t.Fatal(err)
		}
		return c.follow(address)
	}
	err = c.store.Write(t.Context(), sample.As(c.scope, boss.ID), func(tx *db.Tx) error {
		_, err := c.desk.AskLink(t.Context(), tx, idp.OwnInput{Provider: "campus", URI: app, Challenge: strings.Repeat("x", 43)})
		return err
	})
	want(t, err, errs.StepUpRequired, "")
	// Only people that the tenant lets in with this provider come in this way, too.
	c.provider.claims["email_verified"] = false
	_, err = link(boss.ID)
	want(t, err, errs.SignInRefused, "email_unverified")
	c.provider.claims["email_verified"] = true
	s, err := link(boss.ID)
	if err != nil || s.User.ID != boss.ID || s.StepUpProof != nil {
		t.Fatalf("got %+v, %v", s, err)
	}
	if s := c.mustSignIn(); s.User.ID != boss.ID {
		t.Errorf("got %+v", s.User)
	}
	// Again changes nothing, and nobody takes the account of somebody else.
	if _, err := link(boss.ID); err != nil || c.accounts() != 1 {
		t.Errorf("got %v, %d accounts", err, c.accounts())
	}
	_, err = link(c.user(people.UserInput{Email: "bo@north.example"}).ID)
	want(t, err, errs.AccountTaken, "")
	if s := c.mustSignIn(); s.User.ID != boss.ID || c.accounts() != 1 {
		t.Errorf("got %+v", s.User)
	}
}
