package httpapi

import (
	"bytes"
	"context"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/idp"
	"assess/pkg/surface/op"
)

// assessctl login sends a browser here. It signs in at / in any of the ways there are, and its person lets the terminal in with a button:
// no page can do that for them, and none can know the part of the challenge that the terminal shows.
const (
	terminalPath   = "/sign-in/terminal"
	terminalCookie = "__Host-assess-terminal"
)

// waiting is a terminal that waits to be let in.
type waiting struct {
	access.TerminalInput
	// Shown is the part that the terminal shows, too.
	Shown string
	Typed bool
}

// noteTerminal keeps the request of a terminal until its person has signed in.
func (s *Server) noteTerminal(gc *gin.Context) {
	q := gc.Request.URL.Query()
	if q.Get("redirectUri") == "" {
		q.Set("redirectUri", access.Typed)
	}
	err := terminalOf(q).Check()
	if err != nil {
		s.abort(gc, s.present(gc, err))
		return
	}
	keep(gc, terminalCookie, q.Encode(), idp.FlowLifetime)
	gc.Redirect(http.StatusSeeOther, "/?"+url.Values{"tenant": {q.Get("tenant")}}.Encode()+"#sign-in")
}

func terminalOf(q url.Values) access.TerminalInput {
	return access.TerminalInput{OrgUnit: q.Get("orgUnit"), StepUp: q.Get("stepUp") == "yes", Redirect: access.Redirect{URI: q.Get("redirectUri"), Challenge: q.Get("codeChallenge"), State: q.Get("state")}}
}

// terminalAt is the terminal that waits for a browser; nil: none.
func terminalAt(gc *gin.Context) *waiting {
	q, err := url.ParseQuery(kept(gc, terminalCookie))
	if err != nil {
		return nil
	}
	input := terminalOf(q)
	if input.Check() != nil {
		return nil
	}
	return &waiting{input, input.Challenge[:8], input.URI == access.Typed}
}

// letTerminalIn does the work of the buttons.
func (s *Server) letTerminalIn(gc *gin.Context) {
	gc.Request.Body = http.MaxBytesReader(gc.Writer, gc.Request.Body, 4096)
	if http.NewCrossOriginProtection().Check(gc.Request) != nil {
		s.noRoute(gc)
		return
	}
	terminal := terminalAt(gc)
	if terminal == nil || gc.PostForm("answer") != "yes" {
		keep(gc, terminalCookie, "", 0)
		gc.Redirect(http.StatusSeeOther, "/")
		return
	}
	scope, err := s.authority.Authenticate(gc.Request.Context(), kept(gc, tokenCookie))
	var to string
	if err == nil {
		scope.Proof, _ = ids.Parse("", kept(gc, proofCookie))
		to, err = s.authority.LetIn(gc.Request.Context(), scope, terminal.TerminalInput)
	}
	if err != nil {
		s.abort(gc, s.present(gc, err))
		return
	}
	keep(gc, terminalCookie, "", 0)
	if terminal.StepUp {
		keep(gc, proofCookie, "", 0)
	}
	if !terminal.Typed {
		s.goOn(gc, to)
		return
	}
	said, err := url.ParseQuery(strings.TrimPrefix(to, access.Typed+"#"))
	var html bytes.Buffer
	if err == nil {
		err = codePages.Execute(&html, struct {
			Code  string
			Style template.CSS
		}{said.Get("code"), plainStyle})
	}
	if err != nil {
		s.abort(gc, s.present(gc, errs.Wrap(errs.Internal, err, "The page cannot be drawn.")))
		return
	}
	gc.Header("Content-Security-Policy", problemPolicy)
	gc.Data(http.StatusOK, "text/html; charset=utf-8", html.Bytes())
}

var codePages = template.Must(template.New("code").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="robots" content="noindex"><meta name="referrer" content="no-referrer"><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Code for the terminal</title>
<style>{{.Style}}</style></head><body><main><h1>Type this into your terminal</h1><p><code>{{.Code}}</code></p>
<p>It works once, within a minute. Give it to nobody: whoever has it, and asked for it, acts as you.</p></main></body></html>`))

type findNameInput struct {
	Noun   string `query:"noun" required:"true" enum:"evaluation,evaluation-version,facet,group,idp,library,org-unit,passage,question,revision,role,term,user" doc:"What it is"`
	Word   string `query:"word" maxLength:"300" doc:"What people call it: a name, a slug, an external id, an e-mail address, or its id. Without one: what the noun means by itself, as the caller's own org unit, or the newest revision"`
	Within ids.ID `query:"within" doc:"Of a revision: its library"`
}

// findName finds the record that a word names. A caller who may not read such records is refused as on their route.
func findName(ctx context.Context, tx *db.Tx, in *findNameInput) (op.Found, error) {
	id, err := op.Find(ctx, tx, in.Noun, in.Word, in.Within)
	return op.Found{ID: id}, err
}
