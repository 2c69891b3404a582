package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"

	"assess/pkg/exam/lti"
	"assess/pkg/kernel/errs"
)

// On this page a teacher picks the evaluation that an activity of a learning platform hands out (package lti). It runs in a frame of the
// platform and without a session: the secret of the pick is in its address, and its forms have a proof that only the launched browser can know.
const ltiDeepLinksPath = lti.DeepLinksPath + "/:flow"

//go:embed picker.html
var pickerSource string

var pickerPage = template.Must(template.New("picker").Parse(pickerSource))

// picking is the content of the page.
type picking struct {
	lti.Picker
	Action, Proof, Problem string
	Style                  template.CSS
}

// Before and After are the pages before and after the one that is shown; 0: none.
func (p picking) Before() int { return p.Page - 1 }

// After is the page after the one that is shown; 0: none.
func (p picking) After() int {
	if p.Page < p.Pages {
		return p.Page + 1
	}
	return 0
}

// showPick shows the page to the browser that was launched, when it loads it again.
func (s *Server) showPick(gc *gin.Context) {
	input := pickAt(gc, gc.Query)
	input.Proof = lti.ProofOf(input.Flow, kept(gc, launchCookie))
	s.pick(gc, input, nil)
}

// doPick does the work of a button of the page: search, show another page, or choose.
func (s *Server) doPick(gc *gin.Context) {
	gc.Request.Body = http.MaxBytesReader(gc.Writer, gc.Request.Body, maxForm)
	input := pickAt(gc, gc.PostForm)
	input.Proof = gc.PostForm("proof")
	if gc.PostForm("do") != "choose" {
		s.pick(gc, input, nil)
		return
	}
	ctx, cancel := context.WithTimeout(gc.Request.Context(), s.config.RequestTimeout)
	defer cancel()
	answer, err := s.lti.Choose(ctx, input, gc.PostFormArray("evaluation"))
	switch {
	case errors.Is(err, errs.ValidationFailed):
		s.pick(gc, input, err)
	case err != nil:
		s.refuseLaunch(gc, err)
	default:
		s.answerPlatform(gc, answer)
	}
}

func pickAt(gc *gin.Context, value func(string) string) lti.PickInput {
	page, err := strconv.Atoi(value("page"))
	if err != nil {
		page = 1
	}
	return lti.PickInput{Flow: gc.Param("flow"), Search: value("q"), Page: page}
}

// pick draws the page, with the problem of a choice if there is one.
func (s *Server) pick(gc *gin.Context, input lti.PickInput, problem error) {
	ctx, cancel := context.WithTimeout(gc.Request.Context(), s.config.RequestTimeout)
	defer cancel()
	shown, err := s.lti.Pick(ctx, input)
	if err != nil {
		s.refuseLaunch(gc, err)
		return
	}
	p, status := picking{Picker: shown, Action: lti.DeepLinksPath + "/" + input.Flow, Proof: input.Proof, Style: plainStyle}, http.StatusOK
	if problem != nil {
		p.Problem, status = problemsOf(problem), http.StatusUnprocessableEntity
	}
	s.drawPick(gc, status, pickerPage, p, "form-action 'self'; frame-ancestors 'self' "+strings.Join(shown.Frames, " "))
}

// problemsOf says what problems the fields of a form have.
func problemsOf(err error) string {
	var all []string
	for _, f := range errs.Of(err).Fields {
		all = append(all, f.Message)
	}
	text := strings.Join(all, "; ")
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func (s *Server) drawPick(gc *gin.Context, status int, page *template.Template, shown any, policy string) {
	var html bytes.Buffer
	err := page.Execute(&html, shown)
	if err != nil {
		s.abort(gc, s.present(gc, errs.Wrap(errs.Internal, err, "The page cannot be drawn.")))
		return
	}
	gc.Header("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "+policy)
	gc.Data(status, "text/html; charset=utf-8", html.Bytes())
}

// sending sends the one form of a page off.
const sending = `document.forms[0].submit();`

var sendingHash = func() string {
	hash := sha256.Sum256([]byte(sending))
	return "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
}()

var answerPage = template.Must(template.New("answer").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="robots" content="noindex"><meta name="referrer" content="no-referrer"><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Back to the course</title>
<style>{{.Style}}</style></head><body><main><h1>Back to the course</h1>
<form method="post" action="{{.ReturnURL}}"><input type="hidden" name="JWT" value="{{.JWT}}"><button>Go on</button></form></main>
{{with .Script}}<script>{{.}}</script>{{end}}</body></html>`))

// answerPlatform takes the choice to the platform, by a form that the browser sends there.
func (s *Server) answerPlatform(gc *gin.Context, answer lti.Picked) {
	s.drawPick(gc, http.StatusOK, answerPage, struct {
		lti.Picked
		Style  template.CSS
		Script template.JS
	}{answer, plainStyle, sending}, "script-src "+sendingHash+"; form-action "+answer.Origin())
}
