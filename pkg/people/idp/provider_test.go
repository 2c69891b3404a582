package idp_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"assess/pkg/kernel/outgoing"
)

// provider is an identity provider that does what it is told, wrong things too.
type provider struct {
	*httptest.Server
	mu    sync.Mutex
	key   *rsa.PrivateKey
	kid   string
	codes map[string]request
	// asked has the parameters that the newest browser brought.
	asked url.Values
	// claims is who signs in next; token changes the ID token before it is signed, sign signs it in place of the key.
	claims   map[string]any
	userInfo map[string]any
	token    func(jwt.MapClaims)
	sign     func(jwt.MapClaims) string
	// config changes what it says of itself.
	config map[string]any
	// broken is the status that an address answers with.
	broken map[string]int
	secret string
	// clientKeys are the keys of a client that signs; signedAs has the claims that it signed last.
	clientKeys func() []json.RawMessage
	signedAs   jwt.MapClaims
}

// request has the parameters of a browser that its code needs.
type request struct{ nonce, challenge string }

func newIdentityProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{codes: map[string]request{}, config: map[string]any{}, broken: map[string]int{}}
	p.rotate(t)
	mux := http.NewServeMux()
	for path, handle := range map[string]http.HandlerFunc{
		"/.well-known/openid-configuration": p.describe, "/keys": p.keys, "/token": p.trade,
		"/userinfo": func(w http.ResponseWriter, _ *http.Request) { answer(w, p.userInfo) },
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			p.mu.Lock()
			defer p.mu.Unlock()
			if status := p.broken[path]; status != 0 {
				http.Error(w, "broken", status)
				return
			}
			handle(w, r)
		})
	}
	p.Server = httptest.NewTLSServer(mux)
	t.Cleanup(p.Close)
	return p
}

// client reaches the provider and nothing else on this machine.
func (p *provider) client() *http.Client {
	roots := x509.NewCertPool()
	roots.AddCert(p.Certificate())
	address := netip.MustParseAddrPort(p.Listener.Addr().String())
	return outgoing.New(outgoing.Rules{AllowPrivate: []netip.Prefix{netip.PrefixFrom(address.Addr(), 32)}, Roots: roots, Port: address.Port()})
}

func (p *provider) rotate(t *testing.T) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key, p.kid = key, rand.Text()
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

func (p *provider) describe(w http.ResponseWriter, _ *http.Request) {
	said := map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"userinfo_endpoint": p.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"RS256"}, "response_types_supported": []string{"code"}}
	maps.Copy(said, p.config)
	answer(w, said)
}

func (p *provider) keys(w http.ResponseWriter, _ *http.Request) {
	number := func(n *big.Int) string { return base64.RawURLEncoding.EncodeToString(n.Bytes()) }
	answer(w, map[string]any{"keys": []map[string]string{{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": p.kid,
		"n": number(p.key.N), "e": number(big.NewInt(int64(p.key.E)))}}})
}

// authorize plays the browser there: somebody signs in, and the browser comes back with a code.
func (p *provider) authorize(t *testing.T, to string) url.Values {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("client_id") != "assess" || q.Get("nonce") == "" {
		t.Errorf("the browser is sent to %s", to)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	code := rand.Text()
	p.codes[code], p.asked = request{q.Get("nonce"), q.Get("code_challenge")}, q
	return url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.URL}}
}

func (p *provider) trade(w http.ResponseWriter, r *http.Request) {
	code, verifier := r.PostFormValue("code"), r.PostFormValue("code_verifier")
	asked, there := p.codes[code]
	delete(p.codes, code)
	hash := sha256.Sum256([]byte(verifier))
	_, secret, _ := r.BasicAuth()
	if !there || base64.RawURLEncoding.EncodeToString(hash[:]) != asked.challenge || p.secret != "" && secret != p.secret || p.clientKeys != nil && !p.checkClient(r.PostFormValue("client_assertion")) {
		w.WriteHeader(http.StatusBadRequest)
		answer(w, map[string]string{"error": "invalid_grant"})
		return
	}
	claims := jwt.MapClaims{"iss": p.URL, "aud": "assess", "nonce": asked.nonce, "exp": time.Now().Add(time.Minute).Unix(), "iat": time.Now().Unix()}
	maps.Copy(claims, p.claims)
	if p.token != nil {
		p.token(claims)
	}
	sign := p.sign
	if sign == nil {
		sign = p.signed
	}
	answer(w, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": sign(claims)})
}

func (p *provider) signed(claims jwt.MapClaims) string {
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)
	token.Header["kid"] = p.kid
	s, err := token.SignedString(p.key)
	if err != nil {
		panic(err)
	}
	return s
}

// outgoingDefault is the client of a service where nothing is set.
func outgoingDefault() *http.Client { return outgoing.New(outgoing.Rules{}) }
