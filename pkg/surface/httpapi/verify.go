package httpapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html/template"
	"mime"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"assess/pkg/kernel/errs"
	"assess/pkg/people/access"
)

type loginInput struct {
	Body   access.LoginInput
	remote string
}

// Resolve notes the caller's network address, which login is limited by.
func (in *loginInput) Resolve(hc huma.Context) []error {
	in.remote = humagin.Unwrap(hc).ClientIP()
	return nil
}

// Sent is the answer to every request for a link, whether the address is known or not.
type Sent struct {
	Message string `json:"message"`
}

func (s *Server) login(ctx context.Context, in *loginInput) (Sent, error) {
	err := s.authority.RequestLink(ctx, in.Body, in.remote)
	if err != nil {
		return Sent{}, err
	}
	return Sent{"If the address belongs to a user, a sign-in link is on its way."}, nil
}

type verifyGetInput struct {
	Token string `query:"token" required:"true" maxLength:"200" doc:"The token of the link"`
}

func (s *Server) verifyByGet(ctx context.Context, in *verifyGetInput) (access.Session, error) {
	return s.authority.Redeem(ctx, in.Token, "")
}

type verifyPostInput struct {
	Body struct {
		Token    string `json:"token" minLength:"1" maxLength:"200" doc:"The token of the link"`
		Verifier string `json:"codeVerifier,omitempty" minLength:"43" maxLength:"128" pattern:"^[A-Za-z0-9._~-]+$" doc:"The secret whose SHA-256 is the codeChallenge that the link was asked for with (RFC 7636); none for any other link"`
	}
}

func (s *Server) verifyByPost(ctx context.Context, in *verifyPostInput) (access.Session, error) {
	return s.authority.Redeem(ctx, in.Body.Token, in.Body.Verifier)
}

type tradeInput struct {
	Body struct {
		Code     string `json:"code" minLength:"1" maxLength:"200" doc:"What the link gave to the page that it led to; works once, within a minute"`
		Verifier string `json:"codeVerifier,omitempty" minLength:"43" maxLength:"128" pattern:"^[A-Za-z0-9._~-]+$" doc:"The secret whose SHA-256 is the codeChallenge that the link was asked for with (RFC 7636); none for the link of an invitation"`
	}
}

func (s *Server) tradeCode(ctx context.Context, in *tradeInput) (access.Session, error) {
	return s.authority.Trade(ctx, in.Body.Code, in.Body.Verifier)
}

type signOutInput struct {
	Body struct {
		Token string `json:"token" minLength:"1" maxLength:"4096" doc:"The token to end"`
	}
}

// endToken takes the token in the body, as every revocation does (RFC 7009, section 2.1): a token that no longer holds is no error, so
// that a double click or a second try is none.
func (s *Server) endToken(ctx context.Context, in *signOutInput) (none, error) {
	return none{}, s.authority.EndToken(ctx, in.Body.Token)
}

// verifyPage runs before the verify routes for browsers. Mail scanners open links, so a
// GET shows a button and redeems nothing, unless its caller names JSON; the button's POST redeems the link, and
// leads on to the app if there is one. A POST from another site is refused.
func (s *Server) verifyPage(gc *gin.Context) {
	if gc.Request.URL.Path != prefix+"/auth/verify" {
		return
	}
	form := strings.HasPrefix(gc.ContentType(), "application/x-www-form-urlencoded")
	switch {
	case gc.Request.Method == http.MethodGet && !namesJSON(gc.GetHeader("Accept")):
		s.showPage(gc, http.StatusOK, page{Token: gc.Query("token")})
	case s.sameSite.Check(gc.Request) != nil:
		p := s.present(gc, errs.New(errs.Forbidden, "Another site sent this. Open the link in your mail, and press the button there."))
		if form {
			s.showPage(gc, p.status, page{Problem: p.Message})
			return
		}
		s.abort(gc, p)
	case gc.Request.Method == http.MethodPost && form:
		gc.Request.Body = http.MaxBytesReader(gc.Writer, gc.Request.Body, 4096)
		to, session, err := s.press(gc)
		switch {
		case err != nil:
			p := s.present(gc, err)
			s.showPage(gc, p.status, page{Problem: p.Message, Again: s.again(gc, err)})
		case to != "":
			gc.Header("Referrer-Policy", "no-referrer")
			gc.Redirect(http.StatusSeeOther, to)
			gc.Abort()
		default:
			s.showPage(gc, http.StatusOK, page{Session: &session, ShowToken: s.config.IsLocal()})
		}
	}
}

// namesJSON says whether a caller names JSON as a type that it accepts, and does not just accept anything.
func namesJSON(accept string) bool {
	for kind := range strings.SplitSeq(accept, ",") {
		media, parameters, err := mime.ParseMediaType(kind)
		if err == nil && media == "application/json" && parameters["q"] != "0" {
			return true
		}
	}
	return false
}

// press does the work of the button; a token that does not work counts for the address.
func (s *Server) press(gc *gin.Context) (string, access.Session, error) {
	ctx, remote := gc.Request.Context(), gc.ClientIP()
	err := s.authority.AddressSpent(ctx, remote)
	if err != nil {
		return "", access.Session{}, err
	}
	to, session, err := s.authority.Press(ctx, gc.PostForm("token"))
	if errors.Is(err, errs.LinkInvalid) {
		return "", session, cmp.Or(s.authority.CountAddress(ctx, remote), err)
	}
	if err == nil {
		to, err = s.enterHere(gc, to)
	}
	return to, session, err
}

// again is where somebody whose link does not work any more gets a new one, and with what input; empty for nowhere.
func (s *Server) again(gc *gin.Context, err error) access.Spent {
	if !errors.Is(err, errs.LinkInvalid) {
		return access.Spent{}
	}
	spent, err := s.authority.SpentLink(gc.Request.Context(), gc.PostForm("token"))
	if err != nil {
		s.log.ErrorContext(gc, "spent link not read", "code", string(errs.Internal))
	}
	return spent
}

type page struct {
	Token   string
	Problem string
	// Again is where to get a new link: from the staff's page by a form, which keeps the person's address out of the URL.
	Again     access.Spent
	Session   *access.Session
	ShowToken bool
	Style     template.CSS
}

// forget takes the token out of the address, and so out of the history, before anybody presses the button.
const forget = `history.replaceState(null, "", location.pathname)`

var forgetHash = func() string {
	sum := sha256.Sum256([]byte(forget))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

var pages = template.Must(template.New("verify").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="robots" content="noindex"><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Sign in</title>
<style>{{.Style}}</style></head><body><main>
{{if .Problem}}<h1>This did not work</h1><p>{{.Problem}}</p>
{{if eq .Again.To "` + access.Home + `"}}<form method="post" action="/sign-in"><input type="hidden" name="tenant" value="{{.Again.Tenant}}"><input type="hidden" name="email" value="{{.Again.Email}}"><button>Send me a new link</button></form>
{{else if .Again.To}}<p><a class="button" href="{{.Again.To}}">Send me a new link</a></p>{{end}}
{{else if .Session}}<h1>You are signed in</h1>
<p>Hello {{.Session.User.Name}}. The link is used up now.</p>
{{if .ShowToken}}<p>This service runs on this machine alone, so here is your token, valid until {{.Session.ExpiresAt.Format "15:04 on 2 January 2006"}} UTC:</p>
<p><code>{{.Session.Token.Token}}</code></p>{{with .Session.StepUpProof}}<p>Step-up proof: <code>{{.ID}}</code></p>{{end}}
{{else}}<p>This service has no page of its own to go on with. Open the application in which you work or take your exams, and sign in there: it asks for a link of its own. If you do not know which one that is, ask whoever invited you.</p>{{end}}
{{else if .Token}}<script>` + forget + `</script><h1>Sign in</h1><p>Press the button to sign in. The link works once.</p>
<form method="post" action="verify"><input type="hidden" name="token" value="{{.Token}}"><button>Sign in</button></form>
{{else}}<h1>Open the link again</h1><p>This page forgot your link, so that nobody finds it here. Follow it in your mail once more: as long as nobody pressed the button, it works.</p>
{{end}}</main></body></html>`))

func (s *Server) showPage(gc *gin.Context, status int, p page) {
	gc.Header("Content-Type", "text/html; charset=utf-8")
	gc.Header("Content-Security-Policy", "default-src 'none'; script-src "+forgetHash+"; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self' "+
		strings.Join(s.authority.RedirectOrigins(), " ")) // browsers hold redirects of a form against it, too
	gc.Status(status)
	p.Style = plainStyle
	err := pages.Execute(gc.Writer, p)
	if err != nil {
		s.log.ErrorContext(gc, "page not written", "code", string(errs.Internal))
	}
	gc.Abort()
}
