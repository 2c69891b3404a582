package httpapi

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"assess/pkg/exam/lti"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/people/access"
	reportpage "assess/pkg/report/page"
)

// A browser keeps this of somebody who signed in at /: their token, which ends as every token does. It opens the interface's
// pages and downloads their files, and does nothing else: all other routes ignore it. The forms of pages (sign-out,
// share, privacy, terminal) are not routes of the interface: each has a proof that no other site can know. Before the sign-in
// a browser keeps the secret with which it requested its link.
const (
	tokenCookie = "__Host-assess"
	askedCookie = "__Host-assess-asked"
	// proofCookie is the step-up proof of somebody who came by a link in a mail, or stepped up: they can link an account with it, or
	// give it to a terminal.
	proofCookie = "__Host-assess-proof"
)

// askedFor is how long a browser knows that it requested a link.
const askedFor = time.Hour

func keep(gc *gin.Context, name, value string, lasts time.Duration) {
	c := &http.Cookie{Name: name, Value: value, Path: "/", MaxAge: int(lasts.Seconds()), HttpOnly: true, Secure: true, SameSite: http.SameSiteLaxMode}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(gc.Writer, c)
}

func kept(gc *gin.Context, name string) string {
	value, err := gc.Cookie(name)
	if err != nil {
		return ""
	}
	return value
}

// opensPage says that a browser goes to an address, and no script of a page fetches it. Old browsers do not say so.
func opensPage(gc *gin.Context) bool {
	mode := gc.GetHeader("Sec-Fetch-Mode")
	return (gc.Request.Method == http.MethodGet || gc.Request.Method == http.MethodHead) && strings.Contains(gc.GetHeader("Accept"), "text/html") && (mode == "" || mode == "navigate")
}

// ofPages says whether a browser may come to a route: it draws a page, or gives the file of one to who follows a link there.
func ofPages(gc *gin.Context, r route) bool {
	from := gc.GetHeader("Sec-Fetch-Site")
	return r.Draws != nil || r.Pictured != nil || r.Taken && (from == "" || from == "same-origin" || from == "none")
}

// tokenOf gives the token of a call: from its header, or from the cookie if a browser opens a page.
func tokenOf(gc *gin.Context, r route) (token string, browser, there bool) {
	token, there = bearerToken(gc.GetHeader("Authorization"))
	if there || gc.GetHeader("Authorization") != "" || !ofPages(gc, r) || !opensPage(gc) {
		return token, false, there
	}
	token = kept(gc, tokenCookie)
	return token, token != "", token != ""
}

// browse says how the page of a browser leads on to the others that its reader may see.
func browse(at *url.URL, scope db.Scope) *reportpage.Browse {
	b := &reportpage.Browse{Root: prefix, At: at}
	for _, l := range reportpage.Pages() {
		if scope.Capabilities.Has(navNeeds[l.Text]) {
			b.Nav = append(b.Nav, l)
		}
	}
	b.May = func(r reportpage.Reach) bool {
		switch r {
		case reportpage.Named:
			return scope.Capabilities.Has(capability.ReportingViewNamed)
		case reportpage.Skilled:
			return scope.Capabilities.Has(capability.SkillsRead)
		case reportpage.Correcting:
			return scope.Capabilities.Has(capability.RemediationsManage)
		case reportpage.HandingOn:
			return !slices.ContainsFunc(access.HandOn, func(c capability.Capability) bool { return !scope.Capabilities.Has(c) })
		}
		return true
	}
	return b
}

var navNeeds = map[string]capability.Capability{"Reports": capability.ReportingView, "Questions": capability.ReportingView, "Exceptions": capability.ExceptionsRead, "Remediations": capability.RemediationsManage}

// askForLink sends a link that signs this browser in, and no other: the link is of use only with the secret that it keeps.
func (s *Server) askForLink(gc *gin.Context, tenant, email string) error {
	verifier, challenge := newVerifier()
	err := s.authority.RequestLink(gc.Request.Context(), access.LoginInput{Tenant: tenant, Email: email,
		Redirect: access.Redirect{Home: true, Challenge: challenge}}, gc.ClientIP())
	if err == nil {
		keep(gc, askedCookie, verifier, askedFor)
	}
	return err
}

// enterHere signs in the browser that requested the link with this code; codes that lead elsewhere are not looked at.
func (s *Server) enterHere(gc *gin.Context, to string) (string, error) {
	fragment, here := strings.CutPrefix(to, access.Home+"#")
	if !here {
		return to, nil
	}
	said, err := url.ParseQuery(fragment)
	if err != nil {
		return "", errs.Wrap(errs.Internal, err, "The code of the link cannot be read.")
	}
	session, err := s.authority.Trade(gc.Request.Context(), said.Get("code"), kept(gc, askedCookie))
	if errors.Is(err, errs.LinkInvalid) {
		return "", errs.New(errs.LinkInvalid, "This link signs in the browser that asked for it. Ask for one in this browser.")
	}
	if err != nil {
		return "", err
	}
	keep(gc, askedCookie, "", 0)
	keep(gc, tokenCookie, session.Token.Token, time.Until(session.ExpiresAt))
	if session.StepUpProof != nil {
		keep(gc, proofCookie, session.StepUpProof.ID.String(), time.Until(session.StepUpProof.ExpiresAt))
	}
	return access.Home, nil
}

// signOut ends the token of the browser and forgets it; no other site can make it do so.
func (s *Server) signOut(gc *gin.Context) {
	if http.NewCrossOriginProtection().Check(gc.Request) != nil {
		s.noRoute(gc)
		return
	}
	if token := kept(gc, tokenCookie); token != "" {
		err := s.authority.EndToken(gc.Request.Context(), token)
		if err != nil {
			s.abort(gc, s.present(gc, err))
			return
		}
	}
	keep(gc, tokenCookie, "", 0)
	keep(gc, proofCookie, "", 0)
	gc.Redirect(http.StatusSeeOther, "/")
}

// reader is who is signed in in a browser, and the pages that there are for them.
type reader struct {
	access.Named
	Pages []reportpage.Link
	// Links are the providers of their organisation whose account they can link now.
	Links []button
	// Proven says that the browser keeps a step-up proof. StepUps are the providers where they can get one if something waits for it.
	Proven  bool
	StepUps []button
	// Pending is an account of a learning platform that they can link; nil: none.
	Pending *lti.Pending
}

// readerOf gives nil where nobody is signed in, or not any more.
func (s *Server) readerOf(gc *gin.Context, terminal *waiting) *reader {
	token := kept(gc, tokenCookie)
	if token == "" {
		return nil
	}
	scope, err := s.authority.Authenticate(gc.Request.Context(), token)
	if err != nil {
		return nil
	}
	who := &reader{}
	who.Named, err = s.authority.NameOf(gc.Request.Context(), scope)
	if err != nil {
		s.log.ErrorContext(gc, "reader not read", "code", string(errs.Internal))
		return nil
	}
	who.Proven, who.Pending = kept(gc, proofCookie) != "", s.pendingOf(gc, scope)
	switch {
	case who.Proven:
		who.Links = s.buttonsOf(gc, who.TenantSlug, linkPath)
	case terminal != nil && terminal.StepUp, who.Pending != nil:
		who.StepUps = s.stepUpsOf(gc, scope)
	}
	for _, l := range browse(gc.Request.URL, scope).Nav {
		l.Href = prefix + l.At
		who.Pages = append(who.Pages, l)
	}
	if scope.Capabilities.Has(capability.SessionsTake) {
		who.Pages = append(who.Pages, reportpage.Link{Text: "What I can do", Href: prefix + "/users/" + scope.Actor.ID.String() + "/skills-profile"})
	}
	return who
}

var problemPages = template.Must(template.New("problem").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="robots" content="noindex"><meta name="referrer" content="no-referrer"><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>{{.Title}}</title>
<style>{{.Style}}</style></head><body><main><h1>{{.Title}}</h1><p>{{.Message}}</p>
<p><a class="button" href="/{{if .SignIn}}#sign-in{{end}}">{{if .SignIn}}Sign in{{else}}To the start{{end}}</a></p>
{{with .Request}}<details><summary>Details</summary><p>The number of the request is <code>{{.}}</code>.</p></details>{{end}}</main></body></html>`))

// problemPage tells people in a browser what went wrong; all others get JSON.
func problemPage(gc *gin.Context, p *Problem) ([]byte, bool) {
	if !opensPage(gc) || gc.GetHeader("Sec-Fetch-Mode") == "" || gc.GetHeader("Authorization") != "" {
		return nil, false
	}
	said := struct {
		Title, Message, Request string
		SignIn                  bool
		Style                   template.CSS
	}{"This did not work", p.Message, requestID(gc), p.status == http.StatusUnauthorized, plainStyle}
	switch {
	case p.Code == errs.StepUpInsufficient || p.Code == errs.StepUpRequired:
		said.Title = "This did not work"
	case p.Code == errs.SignInRefused || p.Code == errs.AccountLinkNeeded || p.Code == errs.AccountTaken:
		said.Title = "You are not signed in"
	case p.status == http.StatusUnauthorized:
		said.Title, said.Message = "Sign in to see this page", "You are not signed in in this browser, or no longer."
	case p.status == http.StatusForbidden:
		said.Title = "This page is not for you"
	case p.status == http.StatusNotFound:
		said.Title = "There is no such page"
	}
	var html bytes.Buffer
	err := problemPages.Execute(&html, said)
	return html.Bytes(), err == nil
}

const problemPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

var goOnPages = template.Must(template.New("go on").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="robots" content="noindex"><meta name="referrer" content="no-referrer"><link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url={{.To}}">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Going on</title>
<style>{{.Style}}</style></head><body><main><h1>Going on</h1><p><a class="button" href="{{.To}}">Go on</a></p></main></body></html>`))

// goOn leads a browser from a form to another origin. A redirect would not do: browsers hold where it leads against the form's page.
func (s *Server) goOn(gc *gin.Context, to string) {
	var html bytes.Buffer
	err := goOnPages.Execute(&html, struct {
		To    string
		Style template.CSS
	}{to, plainStyle})
	if err != nil {
		s.abort(gc, s.present(gc, errs.Wrap(errs.Internal, err, "The page cannot be drawn.")))
		return
	}
	gc.Header("Content-Security-Policy", problemPolicy)
	gc.Data(http.StatusOK, "text/html; charset=utf-8", html.Bytes())
}

type navigationKey struct{}

// problemReply is a problem as a page, for operations that a browser opens.
func problemReply(ctx context.Context, p *Problem) (*reply, bool) {
	gc, there := ctx.Value(navigationKey{}).(*gin.Context)
	if !there {
		return nil, false
	}
	html, ok := problemPage(gc, p)
	if !ok {
		return nil, false
	}
	for name, values := range p.header {
		gc.Writer.Header()[name] = values
	}
	return &reply{Status: p.status, Body: payload{html, true, problemPolicy}}, true
}
