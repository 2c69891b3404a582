package lms

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"

	"assess/pkg/kernel/outgoing"
)

const (
	claim  = "https://purl.imsglobal.org/spec/lti/claim/"
	deep   = "https://purl.imsglobal.org/spec/lti-dl/claim/"
	member = "http://purl.imsglobal.org/vocab/lis/v2/membership#"

	// ClientID is the tool's name at the platform, and Deployment the place where it was put.
	ClientID   = "tool-1"
	Deployment = "1"
	// Learner and Instructor are roles in a course.
	Learner    = member + "Learner"
	Instructor = member + "Instructor"
	// TestUser is somebody for trying things out.
	TestUser = "http://purl.imsglobal.org/vocab/lti/system/person#TestUser"
)

// Platform is a learning platform that runs.
type Platform struct {
	*httptest.Server
	// Tool gives the public keys of the tool, as it publishes them.
	Tool func() []json.RawMessage
	// Token changes the token of a launch before it is signed, Sign signs it in place of the key.
	Token func(jwt.MapClaims)
	Sign  func(jwt.MapClaims) string
	// Broken is the status that a path answers with.
	Broken map[string]int
	// Asked has the parameters of the newest browser to be authorised, Registered the newest registration of
	// a tool.
	Asked      url.Values
	Registered map[string]any
	// Configuration changes what the platform says of itself.
	Configuration map[string]any
	// Refuses names people whose grades it does not take. Dies says whether the platform dies before it takes a grade, or
	// after it, so that nobody learns that it did.
	Refuses map[string]bool
	// Page changes a page of members before it is sent.
	Page func(http.Header, map[string]any)
	Dies func(Score) (before, behind bool)

	mu     sync.Mutex
	key    *rsa.PrivateKey
	kid    string
	tokens map[string]string // and what each is for
	scores map[string][]Score
	grades map[string]Score
	nonces map[string]bool
	picked []Item
	roster map[string][]Member
	read   map[string]int
	again  int
	door   *door
}

// Score is a grade that arrived (LTI Assignment and Grade Services 2.0, section 3.4.1).
type Score struct {
	LineItem         string    `json:"-"`
	UserID           string    `json:"userId"`
	Given            *float64  `json:"scoreGiven"`
	Maximum          *float64  `json:"scoreMaximum"`
	Comment          string    `json:"comment"`
	Timestamp        time.Time `json:"timestamp"`
	ActivityProgress string    `json:"activityProgress"`
	GradingProgress  string    `json:"gradingProgress"`
}

// Start runs a platform until the test ends.
func Start(t testing.TB) *Platform {
	t.Helper()
	p := &Platform{Broken: map[string]int{}, Configuration: map[string]any{}, Refuses: map[string]bool{}, tokens: map[string]string{}, roster: map[string][]Member{}, scores: map[string][]Score{}, grades: map[string]Score{}, nonces: map[string]bool{}, read: map[string]int{}}
	p.Rotate(t)
	mux := http.NewServeMux()
	for path, handle := range map[string]http.HandlerFunc{"/.well-known/openid-configuration": p.describe, "/register": p.register, "/keys": p.keys, "/token": p.token,
		"/items/{item}/scores": p.take, "/return": p.takeAnswer, "/members/{course}": p.members} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			p.mu.Lock()
			status := p.Broken[r.URL.Path]
			p.mu.Unlock()
			if status != 0 {
				http.Error(w, "broken", status)
				return
			}
			handle(w, r)
		})
	}
	p.Server = httptest.NewUnstartedServer(mux)
	p.door = &door{Listener: p.Listener}
	p.Listener = p.door
	p.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	p.StartTLS()
	t.Cleanup(p.Close)
	return p
}

// Client reaches the platform and nothing else on this machine.
func (p *Platform) Client() *http.Client {
	roots := x509.NewCertPool()
	roots.AddCert(p.Certificate())
	address := netip.MustParseAddrPort(p.Listener.Addr().String())
	return outgoing.New(outgoing.Rules{AllowPrivate: []netip.Prefix{netip.PrefixFrom(address.Addr(), 32)}, Roots: roots, Port: address.Port()})
}

// Rotate gives the platform another key.
func (p *Platform) Rotate(t testing.TB) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key, p.kid = key, rand.Text()
}

// Break has a path answer with a status; 0 mends it.
func (p *Platform) Break(path string, status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Broken[path] = status
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func (p *Platform) describe(w http.ResponseWriter, _ *http.Request) {
	said := map[string]any{"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"registration_endpoint": p.URL + "/register", "authorization_server": p.URL}
	maps.Copy(said, p.Configuration)
	answer(w, http.StatusOK, said)
}

// RegistrationToken is the token that a tool registers with.
const RegistrationToken = "register-me"

func (p *Platform) register(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+RegistrationToken {
		answer(w, http.StatusUnauthorized, map[string]string{"error": "invalid_token"})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if json.NewDecoder(r.Body).Decode(&p.Registered) != nil {
		answer(w, http.StatusBadRequest, map[string]string{"error": "invalid_client_metadata"})
		return
	}
	answer(w, http.StatusOK, map[string]any{"client_id": ClientID, "https://purl.imsglobal.org/spec/lti-tool-configuration": map[string]any{"deployment_id": Deployment}})
}

func (p *Platform) keys(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	number := func(n *big.Int) string { return base64.RawURLEncoding.EncodeToString(n.Bytes()) }
	answer(w, http.StatusOK, map[string]any{"keys": []map[string]string{{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": p.kid,
		"n": number(p.key.N), "e": number(big.NewInt(int64(p.key.E)))}}})
}

// Person is somebody at the platform.
type Person struct {
	Subject, Name string
	Roles         []string
}

// Activity is a link in a course.
type Activity struct {
	ID, Title, Course, CourseTitle string
	Custom                         map[string]any
	// LineItem is the name of where its grades go; empty for none.
	LineItem string
	// Picks are the settings of a launch in which somebody picks what the activity hands out; nil for one that opens it.
	Picks map[string]any
}

// Authorize is what happens when the tool sends a browser back: the platform posts this form to redirect_uri.
func (p *Platform) Authorize(t testing.TB, to string, who Person, what Activity) url.Values {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	for name, want := range map[string]string{"scope": "openid", "response_type": "id_token", "response_mode": "form_post", "prompt": "none", "client_id": ClientID} {
		if q.Get(name) != want {
			t.Errorf("the browser is sent to %s: %s is not %s", to, name, want)
		}
	}
	claims := jwt.MapClaims{"iss": p.URL, "aud": ClientID, "sub": who.Subject, "nonce": q.Get("nonce"), "iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
		"name": who.Name, claim + "message_type": "LtiResourceLinkRequest", claim + "version": "1.3.0", claim + "deployment_id": Deployment, claim + "roles": who.Roles,
		claim + "target_link_uri": q.Get("redirect_uri"), claim + "resource_link": map[string]string{"id": what.ID, "title": what.Title},
		claim + "context": map[string]string{"id": what.Course, "title": what.CourseTitle}, claim + "custom": what.Custom}
	if what.LineItem != "" {
		claims["https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"] = map[string]any{"scope": []string{scopeScore}, "lineitem": p.LineItem(what.LineItem)}
	}
	if p.tells(what.Course) {
		claims["https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"] = map[string]any{"context_memberships_url": p.URL + "/members/" + what.Course + "?type=course", "service_versions": []string{"2.0"}}
	}
	if what.Picks != nil {
		delete(claims, claim+"resource_link")
		claims[claim+"message_type"], claims[deep+"deep_linking_settings"] = "LtiDeepLinkingRequest", what.Picks
	}
	if p.Token != nil {
		p.Token(claims)
	}
	sign := p.Sign
	if sign == nil {
		sign = p.Signed
	}
	p.Asked = q
	return url.Values{"id_token": {sign(claims)}, "state": {q.Get("state")}}
}

// LineItem is the address for the grades of an activity, with a query as in Moodle.
func (p *Platform) LineItem(name string) string { return p.URL + "/items/" + name + "?type_id=1" }

// Signed signs claims with the platform's key.
func (p *Platform) Signed(claims jwt.MapClaims) string { return p.SignedAs(claims, p.KeyID()) }

// KeyID is the name of the platform's key.
func (p *Platform) KeyID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.kid
}

// token gives a token to a tool that signs with its key (RFC 7523).
func (p *Platform) token(w http.ResponseWriter, r *http.Request) {
	refuse := func(why string) {
		answer(w, http.StatusBadRequest, map[string]string{"error": "invalid_client", "error_description": why})
	}
	if r.PostFormValue("grant_type") != "client_credentials" || r.PostFormValue("client_assertion_type") != "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" {
		refuse("no client credentials")
		return
	}
	said, err := jwt.ParseWithClaims(r.PostFormValue("client_assertion"), jwt.MapClaims{}, p.toolKey, jwt.WithValidMethods([]string{"RS256"}), jwt.WithExpirationRequired(),
		jwt.WithAudience(p.URL+"/token"), jwt.WithIssuer(ClientID), jwt.WithSubject(ClientID))
	if err != nil || said.Claims.(jwt.MapClaims)["jti"] == "" {
		refuse(fmt.Sprint(err))
		return
	}
	access := rand.Text()
	p.mu.Lock()
	p.tokens[access] = r.PostFormValue("scope")
	p.mu.Unlock()
	answer(w, http.StatusOK, map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 3600, "scope": r.PostFormValue("scope")})
}

func (p *Platform) toolKey(token *jwt.Token) (any, error) {
	for _, raw := range p.Tool() {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(raw) == nil && key.KeyID == token.Header["kid"] {
			return key.Key, nil
		}
	}
	return nil, fmt.Errorf("the tool has no key %v", token.Header["kid"])
}

// Tokens is how many tokens it gave.
func (p *Platform) Tokens() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.tokens)
}

// Forget ends all tokens.
func (p *Platform) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.tokens)
}

// take takes a grade as Moodle does: one that is not newer in whole seconds than the present one conflicts, and people who
// are not in the course are refused.
func (p *Platform) take(w http.ResponseWriter, r *http.Request) {
	var s Score
	body := json.NewDecoder(r.Body)
	body.DisallowUnknownFields()
	err := body.Decode(&s)
	s.LineItem = r.PathValue("item")
	if p.Dies != nil {
		before, behind := p.Dies(s)
		if before {
			panic(http.ErrAbortHandler)
		}
		if behind {
			defer panic(http.ErrAbortHandler)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := s.LineItem + " " + s.UserID
	switch {
	case p.tokenOf(r) != scopeScore:
		answer(w, http.StatusUnauthorized, map[string]string{"error": "no token"})
	case err != nil || r.Header.Get("Content-Type") != "application/vnd.ims.lis.v1.score+json" || r.URL.Query().Get("type_id") != "1":
		answer(w, http.StatusBadRequest, map[string]string{"error": "no score: " + fmt.Sprint(err)})
	case s.Given != nil && (s.Maximum == nil || *s.Maximum <= 0):
		answer(w, http.StatusBadRequest, map[string]string{"error": "no maximum"})
	case p.Refuses[s.UserID]:
		answer(w, http.StatusUnprocessableEntity, map[string]string{"error": "User not found in course or is not a student"})
	case p.grades[at].Timestamp.Unix() >= s.Timestamp.Unix():
		if p.grades[at].Timestamp.Equal(s.Timestamp) {
			p.again++
		}
		answer(w, http.StatusConflict, map[string]string{"error": "Refusing score with an earlier timestamp for item " + strconv.FormatInt(s.Timestamp.Unix(), 10)})
	default:
		p.scores[s.LineItem] = append(p.scores[s.LineItem], s)
		p.grades[at] = s
		answer(w, http.StatusOK, map[string]string{})
	}
}

// Scores are the grades that were taken for an activity, in their order.
func (p *Platform) Scores(lineItem string) []Score {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Score(nil), p.scores[lineItem]...)
}

// Again is how many grades came a second time, with the time of the first.
func (p *Platform) Again() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.again
}

// Grade is the grade that somebody has in an activity now.
func (p *Platform) Grade(lineItem, subject string) Score {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.grades[lineItem+" "+subject]
}
