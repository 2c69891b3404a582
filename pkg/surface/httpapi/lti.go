package httpapi

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"assess/pkg/exam/lti"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Launches of learning platforms (package lti). Browsers come from the platform and go on to the application; docs/lti.md says what
// a platform needs. An exam runs in a window of its own: in a frame of the platform there is only a link that opens one.
const (
	ltiLoginPath    = lti.LoginPath + ":tenant"
	ltiKeysPath     = lti.KeysPath + ":tenant"
	ltiLaunchPath   = lti.LaunchPath
	ltiRegisterPath = lti.RegisterPath

	// launchCookie is the secret that binds a launch to the browser that began it.
	launchCookie = "__Host-assess-lti"
	// accountCookie is the secret with which who came from a platform links their account there, once they have signed in at /.
	accountCookie = "__Host-assess-account"
	accountPath   = "/sign-in/platform"
)

func (s *Server) ltiRoutes() {
	s.engine.GET(ltiLoginPath, s.beginLaunch)
	s.engine.POST(ltiLoginPath, s.beginLaunch)
	s.engine.POST(ltiLaunchPath, s.endLaunch)
	s.engine.GET(ltiKeysPath, s.toolKeys)
	s.engine.GET(ltiRegisterPath, s.registerPlatform)
	s.engine.GET(ltiDeepLinksPath, s.showPick)
	s.engine.POST(ltiDeepLinksPath, s.doPick)
	s.engine.POST(accountPath, s.linkPlatformAccount)
}

// fromPlatform says that pages of learning platforms send browsers to a path, with forms too.
func fromPlatform(path string) bool {
	return strings.HasPrefix(path, lti.LoginPath) || path == ltiLaunchPath || path == ltiRegisterPath || strings.HasPrefix(path, lti.DeepLinksPath)
}

// keepAcross keeps a secret in a browser so that it comes along from a platform's page. Each site that frames us has its own.
func keepAcross(gc *gin.Context, name, value string) {
	http.SetCookie(gc.Writer, &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: int(lti.FlowLifetime.Seconds()), HttpOnly: true, Secure: true,
		SameSite: http.SameSiteNoneMode, Partitioned: true})
}

// said is a parameter of a form or of the address.
func said(gc *gin.Context, name string) string {
	if value, there := gc.GetPostForm(name); there {
		return value
	}
	return gc.Query(name)
}

// beginLaunch sends a browser to the platform, which says who it is.
func (s *Server) beginLaunch(gc *gin.Context) {
	ctx, cancel := context.WithTimeout(gc.Request.Context(), s.config.RequestTimeout)
	defer cancel()
	gc.Request.Body = http.MaxBytesReader(gc.Writer, gc.Request.Body, maxForm)
	if framed(gc) && !s.lti.Picks(said(gc, "target_link_uri")) {
		s.offerWindow(gc)
		return
	}
	// Launches that a browser has begun in several tabs share its secret.
	browser := kept(gc, launchCookie)
	if len(browser) < 40 {
		browser = rand.Text() + rand.Text()
	}
	to, err := s.lti.Login(ctx, lti.LoginInput{Tenant: gc.Param("tenant"), Issuer: said(gc, "iss"), ClientID: said(gc, "client_id"), LoginHint: said(gc, "login_hint"),
		MessageHint: said(gc, "lti_message_hint")}, browser, gc.ClientIP())
	if err != nil {
		s.refuseLaunch(gc, err)
		return
	}
	keepAcross(gc, launchCookie, browser)
	gc.Redirect(http.StatusSeeOther, to)
}

// framed says that a browser opens the page in a frame of another page.
func framed(gc *gin.Context) bool {
	at := gc.GetHeader("Sec-Fetch-Dest")
	return at == "iframe" || at == "frame"
}

// offerWindow leads out of a frame, to the same request in a window of its own.
func (s *Server) offerWindow(gc *gin.Context) {
	with := url.Values{}
	for _, name := range []string{"iss", "client_id", "login_hint", "lti_message_hint", "target_link_uri", "lti_deployment_id"} {
		if value := said(gc, name); value != "" {
			with.Set(name, value)
		}
	}
	s.showLaunch(gc, http.StatusOK, launchPage{Title: "The exam opens in a window of its own", Message: "So nothing of the page around it gets in the way.",
		Href: lti.LoginPath + url.PathEscape(gc.Param("tenant")) + "?" + with.Encode(), Button: "Open the exam"})
}

// endLaunch takes a browser back from the platform and sends it on to the application.
func (s *Server) endLaunch(gc *gin.Context) {
	ctx, cancel := context.WithTimeout(gc.Request.Context(), s.config.RequestTimeout)
	defer cancel()
	gc.Request.Body = http.MaxBytesReader(gc.Writer, gc.Request.Body, maxForm)
	browser := kept(gc, launchCookie)
	to, err := s.lti.Launch(ctx, lti.Returned{State: gc.PostForm("state"), Token: gc.PostForm("id_token"), Error: gc.PostForm("error"), Framed: framed(gc)}, browser, gc.ClientIP())
	if err != nil {
		s.refuseLaunch(gc, err)
		return
	}
	if flow, picks := strings.CutPrefix(to, lti.DeepLinksPath+"/"); picks {
		s.pick(gc, lti.PickInput{Flow: flow, Proof: lti.ProofOf(flow, browser), Page: 1}, nil)
		return
	}
	gc.Redirect(http.StatusSeeOther, to)
}

// pendingOf is the account of a platform that the browser came with and its reader may link; nil: none.
func (s *Server) pendingOf(gc *gin.Context, scope db.Scope) *lti.Pending {
	secret := kept(gc, accountCookie)
	if secret == "" {
		return nil
	}
	p, err := s.lti.PendingOf(gc.Request.Context(), scope, secret)
	if err != nil {
		return nil
	}
	return &p
}

// linkPlatformAccount does the work of the buttons at / that link such an account, or do not.
func (s *Server) linkPlatformAccount(gc *gin.Context) {
	gc.Request.Body = http.MaxBytesReader(gc.Writer, gc.Request.Body, 4096)
	if http.NewCrossOriginProtection().Check(gc.Request) != nil {
		s.noRoute(gc)
		return
	}
	if gc.PostForm("answer") != "yes" {
		keep(gc, accountCookie, "", 0)
		gc.Redirect(http.StatusSeeOther, "/")
		return
	}
	scope, err := s.authority.Authenticate(gc.Request.Context(), kept(gc, tokenCookie))
	if err == nil {
		scope.Proof, _ = ids.Parse("", kept(gc, proofCookie))
		err = s.lti.Link(gc.Request.Context(), scope, kept(gc, accountCookie))
	}
	if err != nil {
		s.refuseLaunch(gc, err)
		return
	}
	keep(gc, accountCookie, "", 0)
	keep(gc, proofCookie, "", 0)
	gc.Redirect(http.StatusSeeOther, "/?linked=yes#sign-in")
}

// toolKeys gives the keys with which platforms check the tool of a tenant.
func (s *Server) toolKeys(gc *gin.Context) {
	keys, err := s.lti.Keys(gc.Request.Context(), gc.Param("tenant"))
	if err != nil {
		s.abort(gc, s.present(gc, err))
		return
	}
	gc.JSON(http.StatusOK, keys)
}

// registerPlatform connects the platform that opens a link of ours, in a frame of its page for administrators.
func (s *Server) registerPlatform(gc *gin.Context) {
	ctx, cancel := context.WithTimeout(gc.Request.Context(), s.config.RequestTimeout)
	defer cancel()
	p, err := s.lti.Register(ctx, lti.RegisterInput{Ticket: gc.Query("ticket"), Configuration: gc.Query("openid_configuration"), Token: gc.Query("registration_token")}, gc.ClientIP())
	if err != nil {
		s.refuseLaunch(gc, err)
		return
	}
	s.showLaunch(gc, http.StatusOK, launchPage{Title: "Connected", Message: p.Issuer + " is connected. Activate the tool there. An administrator of the exams then allows its deployment.", Closes: true})
}

// launchPage is the page that people see on the way from a platform.
type launchPage struct {
	Title, Message, Subject, Request, Href, Button string
	// Stays opens the address in the same window.
	Stays bool
	// Closes tells the platform that its frame is not needed any more.
	Closes bool
	Script template.JS
	Style  template.CSS
}

// closing is the message that a platform waits for at the end of a registration (LTI Dynamic Registration 1.0, section 3.7.2).
const closing = `(window.opener || window.parent).postMessage({subject: "org.imsglobal.lti.close"}, "*");`

// launchPolicy lets platforms frame the page: there is nothing in it that a click could be led to but a link to a new window.
var launchPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-" + func() string {
	hash := sha256.Sum256([]byte(closing))
	return base64.StdEncoding.EncodeToString(hash[:])
}() + "'; form-action 'none'; base-uri 'none'"

var launchPages = template.Must(template.New("launch").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="robots" content="noindex"><meta name="referrer" content="no-referrer"><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>{{.Title}}</title>
<style>{{.Style}}</style></head><body><main><h1>{{.Title}}</h1><p>{{.Message}}</p>
{{with .Subject}}<p><code>{{.}}</code></p>{{end}}{{if .Href}}<p><a class="button"{{if not .Stays}} target="_blank" rel="noopener"{{end}} href="{{.Href}}">{{.Button}}</a></p>{{end}}
{{with .Request}}<details><summary>Details</summary><p>The number of the request is <code>{{.}}</code>.</p></details>{{end}}</main>
{{if .Closes}}<script>{{.Script}}</script>{{end}}</body></html>`))

// refuseLaunch says what went wrong; people get a page.
func (s *Server) refuseLaunch(gc *gin.Context, err error) {
	p := s.present(gc, err)
	u, unlinked := errors.AsType[*lti.UnlinkedError](err)
	if unlinked {
		keep(gc, accountCookie, u.Secret, lti.PendingLifetime)
	}
	if !strings.Contains(gc.GetHeader("Accept"), "text/html") {
		s.abort(gc, p)
		return
	}
	page := launchPage{Title: "The exam cannot be opened", Message: p.Message, Request: requestID(gc)}
	switch {
	case gc.FullPath() == ltiRegisterPath:
		page.Title = "The platform cannot be connected"
	case gc.FullPath() == accountPath:
		page.Title, page.Href, page.Button, page.Stays = "The account is not linked", "/", "To the start", true
	case unlinked:
		page.Title, page.Href, page.Button, page.Stays = "Sign in once", "/?"+url.Values{"tenant": {u.Tenant}}.Encode()+"#sign-in", "Sign in", true
	}
	page.Subject, _ = errs.Of(err).Details["subject"].(string)
	s.showLaunch(gc, p.status, page)
}

func (s *Server) showLaunch(gc *gin.Context, status int, page launchPage) {
	page.Style, page.Script = plainStyle, closing
	var html bytes.Buffer
	err := launchPages.Execute(&html, page)
	if err != nil {
		s.abort(gc, s.present(gc, errs.Wrap(errs.Internal, err, "The page cannot be drawn.")))
		return
	}
	gc.Header("Content-Security-Policy", launchPolicy)
	gc.Data(status, "text/html; charset=utf-8", html.Bytes())
}
