package idp

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/outgoing"
	"assess/pkg/people/access"
)

// algorithms are the ones that providers may sign tokens with.
var algorithms = []string{oidc.RS256, oidc.PS256, oidc.ES256, oidc.EdDSA}

// configurationLifetime is how long the configuration of a provider is kept; its keys follow a rotation at once.
const configurationLifetime = time.Hour

// Desk signs people in with identity providers.
type Desk struct {
	store     *db.Store
	authority *access.Authority
	client    *http.Client
	base      string
	mu        sync.Mutex
	known     map[string]*configuration
}

// CallbackPath is where providers lead back to, behind http.base_url.
const CallbackPath = "/api/v1/auth/oidc/callback"

// NewDesk makes a desk that calls providers with the client and has them lead back to the service's address.
func NewDesk(store *db.Store, authority *access.Authority, client *http.Client, baseURL string) *Desk {
	return &Desk{store: store, authority: authority, client: client, base: strings.TrimRight(baseURL, "/"), known: map[string]*configuration{}}
}

// configuration is a provider's description of itself (OpenID Connect Discovery, section 3).
type configuration struct {
	Issuer       string   `json:"issuer"`
	AuthURL      string   `json:"authorization_endpoint"`
	TokenURL     string   `json:"token_endpoint"`
	UserInfoURL  string   `json:"userinfo_endpoint"`
	KeysURL      string   `json:"jwks_uri"`
	Algorithms   []string `json:"id_token_signing_alg_values_supported"`
	Challenges   []string `json:"code_challenge_methods_supported"`
	ClientAuth   []string `json:"token_endpoint_auth_methods_supported"`
	NamesIssuer  bool     `json:"authorization_response_iss_parameter_supported"`
	ResponseKind []string `json:"response_types_supported"`
	ACRValues    []string `json:"acr_values_supported"`

	read time.Time
	keys oidc.KeySet
}

// fault says why a provider cannot be used, in words that callers may see.
type fault string

func (f fault) Error() string { return string(f) }

// configurationOf reads the configuration of an issuer, or knows it.
func (d *Desk) configurationOf(ctx context.Context, issuer string) (*configuration, error) {
	d.mu.Lock()
	c := d.known[issuer]
	d.mu.Unlock()
	if c != nil && time.Since(c.read) < configurationLifetime {
		return c, nil
	}
	c, err := d.readConfiguration(ctx, issuer)
	if err != nil {
		return nil, unavailable(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.known[issuer] = c
	return c, nil
}

func (d *Desk) readConfiguration(ctx context.Context, issuer string) (*configuration, error) {
	c := &configuration{read: time.Now()}
	err := d.get(ctx, strings.TrimSuffix(issuer, "/")+"/.well-known/openid-configuration", c)
	switch {
	case err != nil:
		return nil, fmt.Errorf("its configuration cannot be read: %w", err)
	case c.Issuer != issuer:
		return nil, fault("its configuration names another issuer; copy the issuer from it exactly")
	}
	for _, address := range []string{c.AuthURL, c.TokenURL, c.KeysURL} {
		u, err := url.Parse(address)
		if err != nil || u.Scheme != "https" || u.Host == "" {
			return nil, fault("its configuration lacks an address, or has one that does not begin with https://")
		}
	}
	// The keys are read when a token needs one, also long after this call.
	c.keys = oidc.NewRemoteKeySet(oidc.ClientContext(context.WithoutCancel(ctx), d.client), c.KeysURL)
	return c, nil
}

func (d *Desk) get(ctx context.Context, address string, to any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := d.client.Do(request)
	if err != nil {
		return outgoing.Reason(err)
	}
	defer answer.Body.Close() //nolint:errcheck // only read from
	if answer.StatusCode != http.StatusOK {
		return fault(fmt.Sprintf("it answers with the status %d", answer.StatusCode))
	}
	err = json.NewDecoder(answer.Body).Decode(to)
	if err != nil {
		return fault("its answer is no JSON")
	}
	return nil
}

// unavailable tells callers why a provider cannot be used, in words that hold neither its address nor its answer.
func unavailable(err error) error {
	return errs.Wrap(errs.ProviderUnavailable, err, "The identity provider does not answer as it should: %s. Try again later, or sign in in another way.", wordsFor(err)).
		With("reason", wordsFor(err))
}

// wordsFor are the words of an error that callers may see.
func wordsFor(err error) string {
	said, own := errors.AsType[fault](err)
	_, unknown := errors.AsType[*net.DNSError](err)
	_, unproved := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case own:
		return said.Error()
	case errors.Is(err, outgoing.ErrAddress):
		return "the service does not call its address; whoever runs the service can allow it (outgoing.allow_private)"
	case errors.Is(err, outgoing.ErrRedirect):
		return "it answers with a redirect, and none is followed"
	case errors.Is(err, context.DeadlineExceeded):
		return "it takes too long"
	case unknown:
		return "there is no such host"
	case unproved:
		return "its certificate does not hold"
	}
	return "it cannot be reached"
}

// oauth gives the client that speaks to the provider for the tenant.
func (d *Desk) oauth(row models.IdentityProvider, c *configuration) (*oauth2.Config, error) {
	secret := ""
	if len(row.SealedSecret) > 0 {
		plain, err := d.authority.Unseal(secretName(row), row.SealedSecret)
		if err != nil {
			return nil, fmt.Errorf("open the secret of an identity provider: %w", err)
		}
		secret = string(plain)
	}
	style := oauth2.AuthStyleInHeader
	if secret == "" || len(c.ClientAuth) > 0 && !slices.Contains(c.ClientAuth, "client_secret_basic") {
		style = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{ClientID: row.ClientID, ClientSecret: secret, RedirectURL: d.base + CallbackPath, Scopes: row.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: c.AuthURL, TokenURL: c.TokenURL, AuthStyle: style}}, nil
}

const errKeysAway = fault("its keys cannot be read")

// watched is a set of keys that remembers that it could not be read: that is no fault of the token.
type watched struct {
	oidc.KeySet
	away bool
}

func (w *watched) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := w.KeySet.VerifySignature(ctx, token)
	w.away = err != nil && strings.HasPrefix(err.Error(), "fetching keys")
	return payload, err
}

// verifier checks tokens that the provider made for the tenant.
func (c *configuration) verifier(row models.IdentityProvider) (*oidc.IDTokenVerifier, *watched) {
	keys := &watched{KeySet: c.keys}
	return oidc.NewVerifier(row.Issuer, keys, &oidc.Config{ClientID: row.ClientID, SupportedSigningAlgs: algorithms}), keys
}
