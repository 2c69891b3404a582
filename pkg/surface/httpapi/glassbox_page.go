package httpapi

import (
	"bytes"
	"cmp"
	"context"
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
	reportpage "assess/pkg/report/page"
	"assess/pkg/report/reportlink"
	"assess/pkg/trust/glassbox"
)

// The page of a glass box, as the router spells its address, and its other spelling.
const (
	glassBoxPath  = prefix + "/glassbox/submissions/:id"
	glassBoxAlias = prefix + "/glass-box/submissions/:id"
)

// doorPath takes the button's POST, for glass boxes and reports: a glass box itself is only read.
const doorPath = "/open-link"

const (
	// browserCookie holds a secret that tells one browser from all others.
	browserCookie = "assess_glassbox"
)

// glassBoxPage runs before the route for browsers, as verifyPage does: a GET that accepts HTML and
// has a code shows a button and opens nothing; the button's POST opens the page, once.
func (s *Server) glassBoxPage(gc *gin.Context) {
	if gc.Request.Method != http.MethodGet || !strings.Contains(gc.GetHeader("Accept"), "text/html") {
		return
	}
	switch gc.FullPath() {
	case glassBoxAlias:
		at := strings.Replace(gc.Request.URL.Path, "/glass-box/", "/glassbox/", 1)
		if query := gc.Request.URL.RawQuery; query != "" {
			at += "?" + query
		}
		gc.Redirect(http.StatusPermanentRedirect, at)
		gc.Abort()
	case glassBoxPath, reportLinkPath:
		gc.Writer.Header().Add("Vary", "Accept")
		if code := gc.Query("code"); code != "" {
			s.showDoor(gc, code)
		} else if gc.FullPath() == reportLinkPath {
			s.showReportLink(gc)
		} else {
			s.showGlassBox(gc)
		}
	}
}

// showDoor answers somebody who follows a link. Its page has the browser's new secret next to the button, so that both
// clicks of a double click are known to come from the same browser. Only the button makes a cookie of it: with a cookie
// planted by somebody else, the page would open to them as well.
func (s *Server) showDoor(gc *gin.Context, code string) {
	browser := browserOf(gc)
	d, err := s.tryDoor(gc, func(ctx context.Context) (access.Door, error) {
		d, err := s.authority.FindDoor(ctx, code, browser)
		if err == nil && pagePath(d) != gc.Request.URL.Path {
			err = errs.New(errs.LinkInvalid, "This link is of another result.")
		}
		return d, err
	})
	switch {
	case err != nil:
		s.refuseDoor(gc, err)
	case d.Open:
		s.enter(gc, d)
	default:
		s.drawDoor(gc, http.StatusOK, door{Code: code, Browser: access.NewBrowser(code), Until: d.ExpiresAt, Report: d.Submission == ids.None, SharedBy: sharedBy(d.SharedBy)})
	}
}

// openDoor is the button's POST: it trades the code for the cookie, and leads to the page.
func (s *Server) openDoor(gc *gin.Context) {
	gc.Request.Body = http.MaxBytesReader(gc.Writer, gc.Request.Body, 4096)
	code, browser := gc.PostForm("code"), gc.PostForm("browser")
	if s.sameSite.Check(gc.Request) != nil {
		s.refuseDoor(gc, errs.New(errs.Forbidden, "Another site sent this. Open the link itself, and press the button there."))
		return
	}
	d, err := s.tryDoor(gc, func(ctx context.Context) (access.Door, error) {
		return s.authority.OpenDoor(ctx, code, browser, func(tx *db.Tx, d access.Door) error {
			if d.Submission == ids.None {
				return reportlink.Opened(ctx, tx, d)
			}
			return glassbox.Opened(ctx, tx, d)
		})
	})
	if err != nil {
		s.refuseDoor(gc, err)
		return
	}
	s.setBrowser(gc, d, browser, time.Until(d.ExpiresAt))
	s.enter(gc, d)
}

// tryDoor counts a code that does not work for the address that it came from.
func (s *Server) tryDoor(gc *gin.Context, try func(context.Context) (access.Door, error)) (access.Door, error) {
	ctx, remote := gc.Request.Context(), gc.ClientIP()
	err := s.authority.AddressSpent(ctx, remote)
	if err != nil {
		return access.Door{}, err
	}
	d, err := try(ctx)
	if errors.Is(err, errs.LinkInvalid) {
		err = cmp.Or(s.authority.CountAddress(ctx, remote), err)
	}
	return d, err
}

// enter leads to the page, at an address without a code.
func (s *Server) enter(gc *gin.Context, d access.Door) {
	gc.Redirect(http.StatusSeeOther, pagePath(d))
	gc.Abort()
}

// pagePath is where the page behind a door is.
func pagePath(d access.Door) string {
	if d.Submission == ids.None {
		return reportlink.Path(d.Link)
	}
	return strings.Replace(glassBoxPath, ":id", d.Submission.String(), 1)
}

func browserOf(gc *gin.Context) string {
	secret, err := gc.Cookie(browserCookie)
	if err != nil {
		return ""
	}
	return secret
}

// setBrowser gives a browser its secret, only for the pages behind one door. The browser sends it when
// somebody follows a link (Lax), but not when another site requests something inside its own page.
func (s *Server) setBrowser(gc *gin.Context, d access.Door, secret string, lasts time.Duration) {
	http.SetCookie(gc.Writer, &http.Cookie{Name: browserCookie, Value: secret, Path: pagePath(d), MaxAge: int(lasts.Seconds()),
		HttpOnly: true, Secure: gc.Request.TLS != nil || strings.HasPrefix(s.config.BaseURL, "https://"), SameSite: http.SameSiteLaxMode})
}

// showGlassBox draws the page for the token or the cookie of a link.
func (s *Server) showGlassBox(gc *gin.Context) {
	b, err := s.boxForPage(gc)
	if err != nil {
		s.refuseDoor(gc, err)
		return
	}
	s.drawReport(gc, reportpage.GlassBox(b, gc.Request.URL.Path+"/bundle"))
}

func (s *Server) drawReport(gc *gin.Context, p reportpage.Page) {
	var drawn bytes.Buffer
	err := reportpage.Write(&drawn, p)
	if err != nil {
		s.refuseDoor(gc, errs.Wrap(errs.Internal, err, "The page cannot be drawn."))
		return
	}
	gc.Header("Content-Security-Policy", reportpage.ContentPolicy()+"; frame-ancestors 'none'")
	gc.Data(http.StatusOK, "text/html; charset=utf-8", drawn.Bytes())
	gc.Abort()
}

func (s *Server) boxForPage(gc *gin.Context) (glassbox.Box, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(gc.Request.Context()), s.config.RequestTimeout)
	defer cancel()
	id, err := ids.Parse("id", gc.Param("id"))
	if err != nil {
		return glassbox.Box{}, err
	}
	scope, err := s.heldLink(gc)
	if err != nil {
		return glassbox.Box{}, err
	}
	scope.RequestID = requestID(gc)
	gc.Set(scopeKey, scope)
	err = s.count(ctx, route{ID: "viewGlassBox", Limit: perLink}, scope)
	if err != nil {
		return glassbox.Box{}, err
	}
	var b glassbox.Box
	err = s.store.Write(ctx, scope, func(tx *db.Tx) error {
		b, err = glassbox.View(ctx, tx, id, glassbox.AsPage)
		return err
	})
	return b, err
}

// door is the page in front of a glass box: a button, or why it stays closed.
type door struct {
	Code, Browser, Problem string
	Until                  time.Time
	Report                 bool
	SharedBy               string
	Style                  template.CSS
}

var doors = template.Must(template.New("door").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="robots" content="noindex"><meta name="referrer" content="no-referrer"><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>{{if .Report}}A report to read{{else}}A result to read{{end}}</title>
<style>{{.Style}}</style></head><body><main>
{{if .Problem}}<h1>This link does not open</h1><p>{{.Problem}}</p>
{{else}}<script>` + forget + `</script>{{if .Report}}<h1>A report to read</h1><p>{{.SharedBy}} shared this report with you. Each view is counted.</p>
{{else}}<h1>A result to read</h1><p>You can read the result of an exam here, and what speaks for it. Each view is written down.</p>
{{end}}<p>The link opens in this browser, and in no other afterwards. It is valid until {{.Until.UTC.Format "15:04 on 2 January 2006"}} UTC.</p>
<form method="post" action="` + doorPath + `"><input type="hidden" name="code" value="{{.Code}}"><input type="hidden" name="browser" value="{{.Browser}}"><button>Open</button></form>
{{end}}</main></body></html>`))

func (s *Server) drawDoor(gc *gin.Context, status int, d door) {
	gc.Header("Content-Type", "text/html; charset=utf-8")
	gc.Header("Content-Security-Policy", "default-src 'none'; script-src "+forgetHash+"; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	gc.Status(status)
	d.Style = plainStyle
	err := doors.Execute(gc.Writer, d)
	if err != nil {
		s.log.ErrorContext(gc, "page not written", "code", string(errs.Internal))
	}
	gc.Abort()
}

// refuseDoor says in a page why there is none.
func (s *Server) refuseDoor(gc *gin.Context, err error) {
	p := s.present(gc, err)
	for name, values := range p.header {
		gc.Writer.Header()[name] = values
	}
	s.drawDoor(gc, p.status, door{Problem: p.Message})
}
