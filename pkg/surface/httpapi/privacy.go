package httpapi

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/trust/requests"
)

// The page by which people see to requests about their data, without an account.
const (
	privacyPath = "/privacy"
	// privacyCookie keeps the secret of a browser that a link opened. It is good for this page and for nothing else.
	privacyCookie = "__Host-assess-privacy"
	privacyPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)

// privacy is the content of the page.
type privacy struct {
	Token, Tenant, Problem, Proof string
	Open, Sent                    bool
	Requests                      []ownRequest
	Choices                       []string
	Kinds, States                 map[string]string
	Reader                        *reader
	Style                         template.CSS
	Forget                        template.JS
}

// ownRequest is a request with its files as the page names them.
type ownRequest struct {
	requests.Own
	Files []ownFile
}

type ownFile struct{ JobID, Name string }

//go:embed privacy.html
var privacySource string

var privacyPage = template.Must(template.New("privacy").Funcs(template.FuncMap{"day": func(at any) string {
	switch t := at.(type) {
	case time.Time:
		return t.Format("2 January 2006")
	case *time.Time:
		return t.Format("2 January 2006")
	}
	return ""
}}).Parse(privacySource))

// kindWords and stateWords are the words for people.
var (
	kindWords = map[string]string{requests.Access: "A copy of my data", requests.Portability: "My data in a form for other systems", requests.Rectification: "A correction of my data",
		requests.Erasure: "The erasure of my data", requests.Restriction: "That my data are kept and not used", requests.Objection: "That my data are no longer used: I object"}
	stateWords = map[string]string{requests.Received: "received", requests.IdentityPending: "we have to know that it is yours", requests.Verified: "we look at it", requests.Decided: "decided",
		requests.CarriedOut: "done", requests.Answered: "answered", requests.Withdrawn: "taken back"}
)

func (s *Server) privacyRoutes() {
	s.engine.GET(privacyPath, s.showPrivacy)
	s.engine.GET(privacyPath+"/open", s.showPrivacyButton)
	s.engine.GET(privacyPath+"/files/:job/:name", s.readPrivacyFile)
	for path, do := range map[string]func(*gin.Context) error{"/link": s.askPrivacyLink, "/open": s.openPrivacy, "/close": s.closePrivacy, "/requests": s.askPrivacy,
		"/requests/:id/withdraw": s.changePrivacy(requests.WithdrawOwn), "/requests/:id/contest": s.changePrivacy(requests.Contest)} {
		s.engine.POST(privacyPath+path, func(gc *gin.Context) { s.privacyForm(gc, do) })
	}
}

// privacyForm does the work of a form of the page, and leads back to the page.
func (s *Server) privacyForm(gc *gin.Context, do func(*gin.Context) error) {
	gc.Request.Body = http.MaxBytesReader(gc.Writer, gc.Request.Body, 4096)
	if http.NewCrossOriginProtection().Check(gc.Request) != nil {
		s.noRoute(gc)
		return
	}
	err := do(gc)
	if err == nil {
		gc.Header("Referrer-Policy", "no-referrer")
		to := privacyPath
		if strings.HasSuffix(gc.FullPath(), "/link") {
			to += "?sent=yes"
		}
		gc.Redirect(http.StatusSeeOther, to)
		return
	}
	p := s.present(gc, err)
	for name, values := range p.header {
		gc.Writer.Header()[name] = values
	}
	s.drawPrivacy(gc, p.status, s.privacyOf(gc, p.Message))
}

// privacyScope is who a link opened the browser for.
func (s *Server) privacyScope(gc *gin.Context) (db.Scope, error) {
	secret := kept(gc, privacyCookie)
	if secret == "" {
		return db.Scope{}, errs.New(errs.Unauthenticated, "Ask for a link to your data once more.")
	}
	scope, err := s.authority.Privacy(gc.Request.Context(), secret)
	scope.RequestID = requestID(gc)
	return scope, err
}

// proven is privacyScope for a form, which must come from this page.
func (s *Server) proven(gc *gin.Context) (db.Scope, error) {
	scope, err := s.privacyScope(gc)
	if err == nil && !access.ProvesForm(kept(gc, privacyCookie), gc.PostForm("proof")) {
		err = errs.New(errs.Forbidden, "This form is not of this page, or is too old. Load the page again.")
	}
	return scope, err
}

func (s *Server) askPrivacyLink(gc *gin.Context) error {
	token := kept(gc, tokenCookie)
	if gc.PostForm("proof") == "" {
		return s.authority.RequestPrivacyLink(gc.Request.Context(), gc.PostForm("tenant"), gc.PostForm("email"), gc.ClientIP())
	}
	if !access.ProvesForm(token, gc.PostForm("proof")) {
		return errs.New(errs.Forbidden, "This form is not of this page, or is too old. Load the page again.")
	}
	scope, err := s.authority.Authenticate(gc.Request.Context(), token)
	if err != nil {
		return err
	}
	return s.authority.RequestOwnPrivacyLink(gc.Request.Context(), scope)
}

// openPrivacy does the work of a link's button; a token that does not work counts for the address.
func (s *Server) openPrivacy(gc *gin.Context) error {
	ctx, remote := gc.Request.Context(), gc.ClientIP()
	err := s.authority.AddressSpent(ctx, remote)
	if err != nil {
		return err
	}
	secret, lasts, err := s.authority.OpenPrivacy(ctx, gc.PostForm("token"))
	if errors.Is(err, errs.LinkInvalid) {
		return cmp.Or(s.authority.CountAddress(ctx, remote), err)
	}
	if err == nil {
		keep(gc, privacyCookie, secret, lasts)
	}
	return err
}

func (s *Server) closePrivacy(gc *gin.Context) error {
	_, err := s.proven(gc)
	if err != nil {
		return err
	}
	secret := kept(gc, privacyCookie)
	keep(gc, privacyCookie, "", 0)
	return s.authority.ClosePrivacy(gc.Request.Context(), secret)
}

func (s *Server) askPrivacy(gc *gin.Context) error {
	scope, err := s.proven(gc)
	if err != nil {
		return err
	}
	return s.privacyWrite(gc, scope, func(ctx context.Context, tx *db.Tx) error {
		_, err := requests.AskByLink(ctx, tx, requests.OwnInput{Kind: gc.PostForm("kind")})
		return err
	})
}

func (s *Server) changePrivacy(do func(context.Context, *db.Tx, ids.ID) (requests.Own, error)) func(*gin.Context) error {
	return func(gc *gin.Context) error {
		scope, err := s.proven(gc)
		if err != nil {
			return err
		}
		id, err := ids.Parse("id", gc.Param("id"))
		if err != nil {
			return err
		}
		return s.privacyWrite(gc, scope, func(ctx context.Context, tx *db.Tx) error {
			_, err := do(ctx, tx, id)
			return err
		})
	}
}

func (s *Server) privacyWrite(gc *gin.Context, scope db.Scope, fn func(context.Context, *db.Tx) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(gc.Request.Context()), s.config.RequestTimeout)
	defer cancel()
	return s.store.Write(ctx, scope, func(tx *db.Tx) error { return fn(ctx, tx) })
}

// readPrivacyFile gives an export to the person it is about; the ledger records that it was taken.
func (s *Server) readPrivacyFile(gc *gin.Context) {
	scope, err := s.privacyScope(gc)
	var id ids.ID
	if err == nil {
		id, err = ids.Parse("job", gc.Param("job"))
	}
	var file download
	if err == nil {
		err = s.privacyWrite(gc, scope, func(ctx context.Context, tx *db.Tx) error {
			file, err = s.findArtifact(ctx, tx, &artifactInput{ByID{id}, gc.Param("name")})
			return err
		})
	}
	var content interface {
		Read([]byte) (int, error)
		Seek(int64, int) (int64, error)
		Close() error
	}
	if err == nil {
		content, err = file.Open(gc.Request.Context(), true)
	}
	if err != nil {
		p := s.present(gc, err)
		s.drawPrivacy(gc, p.status, s.privacyOf(gc, p.Message))
		return
	}
	defer content.Close() //nolint:errcheck // only read from
	gc.Header("Content-Type", file.MediaType)
	gc.Header("Content-Disposition", `attachment; filename="`+file.Name+`"`)
	http.ServeContent(gc.Writer, gc.Request, "", file.Modified, content)
}

// showPrivacyButton answers who follows a link: mail scanners do, too, so it opens nothing.
func (s *Server) showPrivacyButton(gc *gin.Context) {
	s.drawPrivacy(gc, http.StatusOK, privacy{Token: gc.Query("token")})
}

func (s *Server) showPrivacy(gc *gin.Context) {
	s.drawPrivacy(gc, http.StatusOK, s.privacyOf(gc, ""))
}

// privacyOf is the page of a browser that a link opened, or the form for a link.
func (s *Server) privacyOf(gc *gin.Context, problem string) privacy {
	p := privacy{Problem: problem, Tenant: strings.ToLower(strings.TrimSpace(gc.Query("tenant"))), Sent: gc.Query("sent") != ""}
	scope, err := s.privacyScope(gc)
	if err != nil {
		p.Reader = s.readerOf(gc, nil)
		if p.Reader != nil {
			p.Proof = access.FormProof(kept(gc, tokenCookie))
		}
		return p
	}
	p.Open, p.Proof = true, access.FormProof(kept(gc, privacyCookie))
	p.Kinds, p.States, p.Choices = kindWords, stateWords, requests.Kinds
	var list db.List[requests.Own]
	err = s.store.Read(gc.Request.Context(), scope, func(tx *db.Tx) error {
		list, err = requests.ListOwn(gc.Request.Context(), tx, db.Page{Page: 1, Limit: 50})
		return err
	})
	if err != nil {
		p.Problem = s.present(gc, err).Message
	}
	for _, r := range list.Items {
		one := ownRequest{Own: r}
		for _, f := range r.Files {
			parts := strings.Split(f.Href, "/")
			one.Files = append(one.Files, ownFile{parts[len(parts)-3], f.Name})
		}
		p.Requests = append(p.Requests, one)
	}
	return p
}

func (s *Server) drawPrivacy(gc *gin.Context, status int, p privacy) {
	p.Style, p.Forget = plainStyle, forget
	var drawn bytes.Buffer
	err := privacyPage.Execute(&drawn, p)
	if err != nil {
		s.abort(gc, s.present(gc, errs.Wrap(errs.Internal, err, "The page cannot be drawn.")))
		return
	}
	policy := privacyPolicy
	if p.Token != "" {
		policy = "script-src " + forgetHash + "; " + policy
	}
	gc.Header("Content-Security-Policy", policy)
	gc.Header("Cache-Control", "no-store")
	gc.Header("Referrer-Policy", "no-referrer")
	gc.Data(status, "text/html; charset=utf-8", drawn.Bytes())
	gc.Abort()
}
