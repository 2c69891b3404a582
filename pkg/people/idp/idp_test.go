package idp_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
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
	return c.desk.Start(c.Context(), idp.StartInput{Tenant: c.tenant, Provider: c.idp.Slug, Redirect: access.Redirect{URI: app,
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
	return c.arrive(c.back(c.begin(browser), browser))
}

// arrive trades the code in the address that a browser was sent to.
func (c *college) arrive(to string, err error) (access.Session, error) {
	c.Helper()
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

// Some providers put profile and address into UserInfo only.

// A sign-in comes back once, in time, in the browser that began it.

// RFC 9207: the answer of one provider is not taken for another's.

// An address links an account once, and never to somebody who may do more than take exams.

// A provider that is away takes nobody's session, and the next try works.

// Somebody who connects a provider gives nobody what they do not have, and administrators are made by hand.

// The accounts of an issuer mean nobody of another one.

// What waits for a browser longer than a day is swept, and forgetting a person takes who they are elsewhere along.
