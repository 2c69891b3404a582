package httpapi

import (
	"bytes"
	_ "embed"
	"html/template"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strings"

	"github.com/gin-gonic/gin"

	"assess/pkg/kernel/build"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/mail"
)

// home is the content of the page at /.
type home struct {
	Version, App, Folder string
	Style                template.CSS
	// Development shows the sign-in and the mails of the folder.
	Development, Asked bool
	// Came says that the browser came from a learning platform with an account that nobody has linked, Linked that its person just did.
	Came, Linked bool
	// Tenant is the organisation that somebody named, and Buttons are its identity providers.
	Tenant  string
	Buttons []button
	Mails   []shownMail
	// Terminal is one that waits to be let in; nil: none.
	Terminal *waiting
	// Reader is who is signed in in this browser; nil: nobody.
	Reader *reader
}

// shownMail is a mail with its text in parts, some of them links.
type shownMail struct {
	mail.Received
	Parts []mailPart
}

type mailPart struct {
	Text string
	Link bool
}

//go:embed home.html
var homeSource string

//go:embed plain.css
var plainCSS string

// plainStyle is the style of the pages that are not reports: home, sign-in, links and failures.
var plainStyle = template.CSS(plainCSS) //nolint:gosec // our own file

var homePage = template.Must(template.New("home").Parse(homeSource))

// newestMails is how many mails the page shows.
const newestMails = 20

// showHome tells people what runs here; for everybody else there is nothing at /.
func (s *Server) showHome(gc *gin.Context) {
	gc.Writer.Header().Add("Vary", "Accept")
	if !strings.Contains(gc.GetHeader("Accept"), "text/html") {
		s.noRoute(gc)
		return
	}
	h := home{Style: plainStyle, Version: build.This().Version, App: s.authority.AppURL(), Development: s.mails != "" && fromHere(gc.Request)}
	h.Asked, h.Terminal = gc.Query("asked") != "", terminalAt(gc)
	h.Came, h.Linked = kept(gc, accountCookie) != "", gc.Query("linked") != ""
	h.Reader = s.readerOf(gc, h.Terminal)
	h.Tenant = strings.ToLower(strings.TrimSpace(gc.Query("tenant")))
	h.Buttons = s.buttonsOf(gc, h.Tenant, withPath)
	if h.Development {
		h.Folder = s.mails
		mails, err := mail.Newest(s.mails, newestMails)
		if err != nil {
			s.abort(gc, s.present(gc, errs.Wrap(errs.Internal, err, "The mail folder cannot be read.")))
			return
		}
		for _, m := range mails {
			h.Mails = append(h.Mails, shownMail{m, splitLinks(m.Text)})
		}
	}
	var drawn bytes.Buffer
	err := homePage.Execute(&drawn, h)
	if err != nil {
		s.abort(gc, s.present(gc, errs.Wrap(errs.Internal, err, "The page cannot be drawn.")))
		return
	}
	gc.Header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
	gc.Data(http.StatusOK, "text/html; charset=utf-8", drawn.Bytes())
}

// signIn is the form of the page: it sends a link, whose mail the page shows in development.
func (s *Server) signIn(gc *gin.Context) {
	gc.Request.Body = http.MaxBytesReader(gc.Writer, gc.Request.Body, 4096)
	err := http.NewCrossOriginProtection().Check(gc.Request)
	if err != nil {
		s.noRoute(gc)
		return
	}
	err = s.askForLink(gc, gc.PostForm("tenant"), gc.PostForm("email"))
	if err != nil {
		s.abort(gc, s.present(gc, err))
		return
	}
	gc.Redirect(http.StatusSeeOther, "/?asked=yes#sign-in")
}

// fromHere says that somebody at this machine calls it by its own name. A page from elsewhere whose
// name was pointed at this machine sends that name, and a proxy names its client.
func fromHere(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	named, err := netip.ParseAddr(strings.Trim(host, "[]"))
	from, unknown := netip.ParseAddrPort(r.RemoteAddr)
	return (host == "localhost" || err == nil && named.IsLoopback()) && unknown == nil && from.Addr().Unmap().IsLoopback()
}

var webAddress = regexp.MustCompile(`https?://[^\s<>"]+`)

// splitLinks finds the addresses in a text.
func splitLinks(text string) []mailPart {
	var parts []mailPart
	for at := 0; at < len(text); {
		found := webAddress.FindStringIndex(text[at:])
		if found == nil {
			return append(parts, mailPart{Text: text[at:]})
		}
		if found[0] > 0 {
			parts = append(parts, mailPart{Text: text[at : at+found[0]]})
		}
		parts = append(parts, mailPart{Text: text[at+found[0] : at+found[1]], Link: true})
		at += found[1]
	}
	return parts
}
