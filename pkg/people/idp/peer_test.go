package idp_test

import (
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"assess/pkg/dev/peer"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/idp"
)

// withPeer is a college whose people sign in with a provider that others wrote.
func withPeer(t *testing.T, changes ...func(*idp.Input)) (*college, *peer.Peer) {
	t.Helper()
	p := peer.Start(t)
	c := newCollege(t)
	c.idp = c.add("peer", c.provider, append(changes, func(input *idp.Input) { input.Issuer = p.Issuer })...)
	c.desk = idp.NewDesk(c.store, c.authority, p.Client(), "https://assess.example.org")
	return c, p
}

func (c *college) register(p *peer.Peer, more map[string]any) {
	c.Helper()
	metadata := map[string]any{"client_id": "assess", "redirect_uris": []string{"https://assess.example.org" + idp.CallbackPath}}
	for name, value := range more {
		metadata[name] = value
	}
	p.Register(c.T, metadata)
}

func (c *college) registerSecret(p *peer.Peer) {
	c.Helper()
	c.register(p, map[string]any{"client_secret": "hunter2hunter2"})
	c.write(func(tx *db.Tx) error {
		_, err := idp.SetSecret(c.Context(), tx, c.authority, c.idp.ID, idp.Secret{Secret: "hunter2hunter2"})
		return err
	})
}

// signInAt goes the whole way over the peer.
func (c *college) signInAt(b *peer.Browser, who peer.Person) (access.Session, bool, error) {
	c.Helper()
	browser := rand.Text()
	to, err := c.start(browser)
	if err != nil {
		c.Fatal(err)
	}
	back, asked := b.SignIn(c.T, to, who)
	s, err := c.arrive(c.back(query(c.T, back), browser))
	return s, asked, err
}

// stepUpAt steps up at the peer.
func (c *college) stepUpAt(b *peer.Browser, user ids.ID, who peer.Person) (access.Session, bool, error) {
	c.Helper()
	address, err := c.stepUpOf(user)
	if err != nil {
		c.Fatal(err)
	}
	browser := rand.Text()
	to, err := c.desk.Continue(c.Context(), query(c.T, address).Get("ticket"), browser, "192.0.2.1")
	if err != nil {
		c.Fatal(err)
	}
	back, asked := b.SignIn(c.T, to, who)
	s, err := c.arrive(c.back(query(c.T, back), browser))
	return s, asked, err
}

func query(t testing.TB, address string) url.Values {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query()
}

func TestPeopleSignInAtACertifiedProvider(t *testing.T) {
	t.Parallel()
	c, p := withPeer(t)
	c.registerSecret(p)
	tested, err := c.desk.Test(t.Context(), c.scope, c.idp.ID)
	if err != nil || !tested.OK {
		t.Errorf("the test says %+v, %v", tested, err)
	}
	b := p.Browser()
	s, asked, err := c.signInAt(b, peer.Person{Name: "ada"})
	if err != nil || !asked || s.User.Email != "ada@north.example" || s.User.Name != "ada" || s.StepUpProof != nil {
		t.Fatalf("got %+v, %v", s, err)
	}
	again, asked, err := c.signInAt(b, peer.Person{Name: "ada"})
	if err != nil || asked || again.User.ID != s.User.ID {
		t.Errorf("again: got %+v, asked %t, %v", again.User, asked, err)
	}
	// The provider names itself in its answer, and must; its codes are good once.
	mine := rand.Text()
	to, err := c.start(mine)
	if err != nil {
		t.Fatal(err)
	}
	back, _ := b.SignIn(t, to, peer.Person{Name: "ada"})
	q := query(t, back)
	if q.Get("iss") != p.Issuer {
		t.Errorf("it came back with %v", q)
	}
	q.Del("iss")
	_, err = c.back(q, mine)
	want(t, err, errs.SignInRefused, "provider_answer")
	to, err = c.start(mine)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := b.SignIn(t, to, peer.Person{Name: "ada"})
	used := query(t, other)
	if _, err = c.back(used, mine); err != nil {
		t.Fatal(err)
	}
	to, err = c.start(mine)
	if err != nil {
		t.Fatal(err)
	}
	fresh, _ := b.SignIn(t, to, peer.Person{Name: "ada"})
	q = query(t, fresh)
	q.Set("code", used.Get("code"))
	_, err = c.back(q, mine)
	want(t, err, errs.SignInRefused, "provider_answer")
	// Away, it takes nobody's session.
	p.Stop()
	_, err = idp.NewDesk(c.store, c.authority, p.Client(), "https://assess.example.org").Test(t.Context(), c.scope, c.idp.ID)
	if err != nil {
		t.Error(err)
	}
	c.desk = idp.NewDesk(c.store, c.authority, p.Client(), "https://assess.example.org")
	_, err = c.start(mine)
	want(t, err, errs.ProviderUnavailable, "it cannot be reached")
	if _, err = c.authority.Authenticate(t.Context(), s.Token.Token); err != nil {
		t.Errorf("the session is gone: %v", err)
	}
}

func TestPeopleStepUpAtACertifiedProvider(t *testing.T) {
	t.Parallel()
	c, p := withPeer(t, func(input *idp.Input) { input.StepUpACR = []string{peer.Strong} })
	c.registerSecret(p)
	b := p.Browser()
	s, _, err := c.signInAt(b, peer.Person{Name: "ada", Ago: 20 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	strong := peer.Person{Name: "ada", Second: true}
	// The session is weak, so the provider asks; then it is strong and young, so it does not; then it is too old.
	for i, step := range []struct {
		who   peer.Person
		asked bool
	}{{peer.Person{Name: "ada", Second: true, Ago: 4 * time.Minute}, true}, {strong, false}} {
		proven, asked, err := c.stepUpAt(b, s.User.ID, step.who)
		if err != nil || asked != step.asked || proven.StepUpProof == nil || proven.StepUpProof.Method != access.ByOIDC {
			t.Errorf("step-up %d: got %+v, asked %t, %v", i, proven.StepUpProof, asked, err)
		}
	}
	old := p.Browser()
	_, _, err = c.signInAt(old, peer.Person{Name: "ada", Second: true, Ago: 20 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	proven, asked, err := c.stepUpAt(old, s.User.ID, strong)
	if err != nil || !asked || proven.StepUpProof == nil {
		t.Errorf("a session of long ago: got %+v, asked %t, %v", proven.StepUpProof, asked, err)
	}
	_, _, err = c.stepUpAt(p.Browser(), s.User.ID, peer.Person{Name: "eve", Second: true})
	want(t, err, errs.StepUpInsufficient, "account")
	// It knows nothing of gold, ignores that, and says what it has: that is not enough.
	c.update(idp.Patch{StepUpACR: &[]string{"gold"}})
	_, _, err = c.stepUpAt(p.Browser(), s.User.ID, strong)
	want(t, err, errs.StepUpInsufficient, "acr")
	c.update(idp.Patch{StepUpACR: &[]string{}, StepUpAMR: &[]string{"otp"}})
	_, _, err = c.stepUpAt(p.Browser(), s.User.ID, strong) // it leaves amr out, and that is not enough either
	want(t, err, errs.StepUpInsufficient, "acr")
}

func TestTheClientSignsAtACertifiedProvider(t *testing.T) {
	t.Parallel()
	c, p := withPeer(t)
	c.write(func(tx *db.Tx) error {
		_, err := idp.MakeKey(t.Context(), tx, c.authority, c.idp.ID)
		return err
	})
	keys, err := c.desk.Keys(t.Context(), c.tenant, c.idp.Slug)
	if err != nil {
		t.Fatal(err)
	}
	c.register(p, map[string]any{"token_endpoint_auth_method": "private_key_jwt", "jwks": keys})
	tested, err := c.desk.Test(t.Context(), c.scope, c.idp.ID)
	if err != nil || !tested.OK {
		t.Errorf("the test says %+v, %v", tested, err)
	}
	if _, _, err := c.signInAt(p.Browser(), peer.Person{Name: "ada"}); err != nil {
		t.Error(err)
	}
	// Another key is not the client's.
	c.write(func(tx *db.Tx) error {
		_, err := idp.MakeKey(t.Context(), tx, c.authority, c.idp.ID)
		return err
	})
	_, _, err = c.signInAt(p.Browser(), peer.Person{Name: "ada"})
	want(t, err, errs.SignInRefused, "provider_answer")
}

func TestACertifiedProviderSignsPeopleOut(t *testing.T) {
	t.Parallel()
	c, p := withPeer(t)
	answers := make(chan error, 2)
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := c.desk.Logout(r.Context(), c.tenant, c.idp.Slug, r.PostFormValue("logout_token"), "192.0.2.1")
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
		}
		answers <- err
	}))
	defer here.Close()
	c.register(p, map[string]any{"client_secret": "hunter2hunter2", "backchannel_logout_uri": here.URL + "/out"})
	c.write(func(tx *db.Tx) error {
		_, err := idp.SetSecret(t.Context(), tx, c.authority, c.idp.ID, idp.Secret{Secret: "hunter2hunter2"})
		return err
	})
	b := p.Browser()
	s, _, err := c.signInAt(b, peer.Person{Name: "ada"})
	if err != nil {
		t.Fatal(err)
	}
	b.SignOut(t)
	select {
	case err := <-answers:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the provider told nobody")
	}
	_, err = c.authority.Authenticate(t.Context(), s.Token.Token)
	want(t, err, errs.Unauthenticated, "")
}
