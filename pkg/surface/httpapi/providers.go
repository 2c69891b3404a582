package httpapi

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/idp"
)

// Sign in with the institution's identity provider (package idp). Routes that a browser or the provider itself calls answer with
// redirects, and are not operations of the description: docs/sign-in.md explains them.
const (
	startPath    = prefix + "/auth/oidc/:provider/start"
	callbackPath = prefix + "/auth/oidc/callback"
	logoutPath   = prefix + "/auth/oidc/:provider/backchannel-logout"
	continuePath = prefix + "/auth/oidc/continue"
	keysPath     = prefix + "/auth/oidc/:provider/keys"
	withPath     = "/sign-in/with/:provider"
	linkPath     = "/sign-in/link/:provider"
	stepUpPath   = "/sign-in/step-up/:provider"

	// flowCookie is the secret that binds a sign-in to the browser that began it.
	flowCookie = "__Host-assess-flow"
)

// maxForm is the size of the largest form that is read, in bytes.
const maxForm = 64 << 10

func (s *Server) providerRoutes() []route {
	manages := needs(capability.IntegrationsManage)
	return []route{
		secret(write(put, "/identity-providers/{id}/secret", "setIdentityProviderSecret", ok, manages, "Set the client secret of an identity provider, which is shown to nobody", s.setProviderSecret)),
		write(post, "/identity-providers/{id}/key", "makeIdentityProviderKey", ok, manages, "Make a new key for the client of an identity provider, which signs with it in place of a secret", s.makeProviderKey),
		limited(10, time.Minute, providerTest("/identity-providers/{id}/test", "testIdentityProvider", manages, "Ask an identity provider for its configuration and keys, and say what is wrong")),
	}
}

// ownProviderRoutes send people who are signed in to their identity provider.
func (s *Server) ownProviderRoutes() []route {
	return []route{
		own(limited(120, time.Minute, save("/auth/step-up", "stepUp", nil, "Step up at an identity provider; the code that it ends in gives a step-up proof", s.stepUp))),
		own(proven(limited(120, time.Minute, save("/users/me/accounts", "linkMyAccount", nil, "Link one's own account at an identity provider, to sign in with it; needs a step-up proof", s.linkMyAccount)))),
	}
}

type ownProviderInput struct{ Body idp.OwnInput }

func (s *Server) stepUp(ctx context.Context, tx *db.Tx, in *ownProviderInput) (idp.Address, error) {
	return s.idp.AskStepUp(ctx, tx, in.Body)
}

func (s *Server) linkMyAccount(ctx context.Context, tx *db.Tx, in *ownProviderInput) (idp.Address, error) {
	return s.idp.AskLink(ctx, tx, in.Body)
}

type signInProvidersInput struct {
	Tenant string `query:"tenant" required:"true" minLength:"1" maxLength:"63" doc:"Slug of the tenant"`
}

// SignInProviders are the identity providers that people of a tenant may choose.
type SignInProviders struct {
	Items []idp.Button `json:"items" nullable:"false"`
}

func (s *Server) signInProviders(ctx context.Context, in *signInProvidersInput) (SignInProviders, error) {
	all, err := s.idp.Buttons(ctx, in.Tenant)
	return SignInProviders{all}, err
}

type providerSecretInput struct {
	ByID
	Body idp.Secret
}

func (s *Server) setProviderSecret(ctx context.Context, tx *db.Tx, in *providerSecretInput) (idp.Provider, error) {
	return idp.SetSecret(ctx, tx, s.authority, in.ID, in.Body)
}

func (s *Server) makeProviderKey(ctx context.Context, tx *db.Tx, in *ByID) (idp.Provider, error) {
	return idp.MakeKey(ctx, tx, s.authority, in.ID)
}

// providerTest makes the route that calls a provider, while no transaction is open.
func providerTest(path, id string, caps []capability.Capability, summary string) route {
	return route{Method: post, Path: path, ID: id, Summary: summary, Needs: caps, Status: ok, register: func(s *Server, r route) {
		handle(s, r, func(ctx context.Context, in *ByID) (*reply, error) {
			out, err := s.idp.Test(ctx, callOf(ctx).scope, in.ID)
			if err != nil {
				return nil, err
			}
			return encode(r.Status, out)
		}, reflect.TypeFor[idp.Tested]())
	}}
}

// clientKeys gives the keys with which a provider checks the client of a tenant.
func (s *Server) clientKeys(gc *gin.Context) {
	keys, err := s.idp.Keys(gc.Request.Context(), gc.Query("tenant"), gc.Param("provider"))
	if err != nil {
		s.refuseSignIn(gc, err)
		return
	}
	gc.JSON(http.StatusOK, keys)
}

// startSignIn sends a browser to the provider.
func (s *Server) startSignIn(gc *gin.Context) {
	s.sendToProvider(gc, access.Redirect{URI: gc.Query("redirectUri"), Challenge: gc.Query("codeChallenge"), State: gc.Query("state")})
}

// signInWith does so for the page at /, which keeps the secret that its code is traded with.
func (s *Server) signInWith(gc *gin.Context) {
	verifier, challenge := newVerifier()
	keep(gc, askedCookie, verifier, askedFor)
	s.sendToProvider(gc, access.Redirect{Home: true, Challenge: challenge})
}

func (s *Server) sendToProvider(gc *gin.Context, to access.Redirect) {
	s.leaveFor(gc, func(ctx context.Context, browser string) (string, error) {
		return s.idp.Start(ctx, idp.StartInput{Tenant: gc.Query("tenant"), Provider: gc.Param("provider"), Redirect: to}, browser, gc.ClientIP())
	})
}

// continueFlow sends a browser to the provider to do what its application requested.
func (s *Server) continueFlow(gc *gin.Context) {
	s.leaveFor(gc, func(ctx context.Context, browser string) (string, error) {
		return s.idp.Continue(ctx, gc.Query("ticket"), browser, gc.ClientIP())
	})
}

// leaveFor sends a browser to the address of a provider, and binds the flow to it.
func (s *Server) leaveFor(gc *gin.Context, begin func(ctx context.Context, browser string) (string, error)) {
	ctx, cancel := context.WithTimeout(gc.Request.Context(), s.config.RequestTimeout)
	defer cancel()
	// Sign-ins that a browser has begun in several tabs share its secret.
	browser := kept(gc, flowCookie)
	if len(browser) < 40 {
		browser = rand.Text() + rand.Text()
	}
	address, err := begin(ctx, browser)
	if err != nil {
		s.refuseSignIn(gc, err)
		return
	}
	keep(gc, flowCookie, browser, idp.FlowLifetime)
	gc.Header("Referrer-Policy", "no-referrer")
	gc.Header("Cache-Control", "no-store")
	gc.Redirect(http.StatusSeeOther, address)
}

// endSignIn takes a browser back from the provider and sends it on to the application.
func (s *Server) endSignIn(gc *gin.Context) {
	ctx, cancel := context.WithTimeout(gc.Request.Context(), s.config.RequestTimeout)
	defer cancel()
	to, err := s.idp.Return(ctx, idp.Returned{State: gc.Query("state"), Code: gc.Query("code"), Issuer: gc.Query("iss"), Error: gc.Query("error")},
		kept(gc, flowCookie), gc.ClientIP())
	if err == nil {
		to, err = s.enterHere(gc, to)
	}
	if err != nil {
		s.refuseSignIn(gc, err)
		return
	}
	gc.Header("Referrer-Policy", "no-referrer")
	gc.Header("Cache-Control", "no-store")
	gc.Redirect(http.StatusSeeOther, to)
}

// linkHere lets who is signed in at / link their account at a provider. They came by a link in a mail a moment ago, whose proof
// their browser keeps.
func (s *Server) linkHere(gc *gin.Context) { s.goOwnWay(gc, s.idp.AskLink) }

// stepUpHere lets them step up at a provider.
func (s *Server) stepUpHere(gc *gin.Context) { s.goOwnWay(gc, s.idp.AskStepUp) }

// goOwnWay sends the browser of who is signed in at / to a provider, and back to / afterwards.
func (s *Server) goOwnWay(gc *gin.Context, ask func(context.Context, *db.Tx, idp.OwnInput) (idp.Address, error)) {
	if http.NewCrossOriginProtection().Check(gc.Request) != nil {
		s.noRoute(gc)
		return
	}
	scope, err := s.authority.Authenticate(gc.Request.Context(), kept(gc, tokenCookie))
	if err != nil {
		s.abort(gc, s.present(gc, err))
		return
	}
	scope.Proof, _ = ids.Parse("", kept(gc, proofCookie))
	verifier, challenge := newVerifier()
	var to idp.Address
	ctx := gc.Request.Context() // never gc itself, which serves the next call while the driver still asks it
	err = s.store.Write(ctx, scope, func(tx *db.Tx) error {
		to, err = ask(ctx, tx, idp.OwnInput{Provider: gc.Param("provider"), Home: true, Challenge: challenge})
		return err
	})
	if err != nil {
		s.refuseSignIn(gc, err)
		return
	}
	keep(gc, askedCookie, verifier, askedFor)
	keep(gc, proofCookie, "", 0)
	s.goOn(gc, to.URL)
}

// stepUpsOf are the providers where somebody can step up; none where they cannot be read.
func (s *Server) stepUpsOf(gc *gin.Context, scope db.Scope) (buttons []button) {
	ctx := gc.Request.Context()
	err := s.store.Read(ctx, scope, func(tx *db.Tx) error {
		all, err := idp.ListStepUps(ctx, tx, scope.Actor.ID)
		for _, p := range all {
			buttons = append(buttons, button{p.Name, strings.Replace(stepUpPath, ":provider", p.Provider, 1)})
		}
		return err
	})
	if err != nil {
		s.log.ErrorContext(gc, "identity providers not read", "code", string(errs.Internal))
	}
	return buttons
}

// newVerifier makes a secret with which a code is traded, and the challenge that the secret answers (RFC 7636).
func newVerifier() (verifier, challenge string) {
	verifier = rand.Text() + rand.Text()
	hash := sha256.Sum256([]byte(verifier))
	return verifier, base64.RawURLEncoding.EncodeToString(hash[:])
}

// logOutBehind is called by a provider that has signed somebody out.
func (s *Server) logOutBehind(gc *gin.Context) {
	ctx, cancel := context.WithTimeout(gc.Request.Context(), s.config.RequestTimeout)
	defer cancel()
	gc.Request.Body = http.MaxBytesReader(gc.Writer, gc.Request.Body, maxForm)
	gc.Header("Cache-Control", "no-store")
	err := s.idp.Logout(ctx, gc.Query("tenant"), gc.Param("provider"), gc.PostForm("logout_token"), gc.ClientIP())
	if err != nil {
		p := s.present(gc, err)
		if p.status == http.StatusForbidden {
			p.status = http.StatusBadRequest // OpenID Connect Back-Channel Logout, section 2.8
		}
		s.abort(gc, p)
		return
	}
	gc.Status(http.StatusOK)
	gc.Writer.WriteHeaderNow()
}

// refuseSignIn says what went wrong; people get a page.
func (s *Server) refuseSignIn(gc *gin.Context, err error) {
	gc.Header("Referrer-Policy", "no-referrer")
	s.abort(gc, s.present(gc, err))
}

// button is a provider as a page offers it.
type button struct{ Name, Href string }

// buttonsOf are the buttons of a tenant that somebody named at the page, with the path that each leads to; none if they cannot be read.
func (s *Server) buttonsOf(gc *gin.Context, tenant, path string) []button {
	if tenant == "" {
		return nil
	}
	all, err := s.idp.Buttons(gc.Request.Context(), tenant)
	if err != nil {
		s.log.ErrorContext(gc, "identity providers not read", "code", "internal_error")
		return nil
	}
	buttons := make([]button, len(all))
	for i, b := range all {
		buttons[i] = button{b.Name, strings.Replace(path, ":provider", b.Slug, 1) + "?" + url.Values{"tenant": {tenant}}.Encode()}
	}
	return buttons
}
