package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"maps"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/people/idp"
)

// Problem is the body of every answer that is not 2xx (specification, section 7).
type Problem struct {
	Code    errs.Code      `json:"code" shape:"error code" doc:"Stable code"`
	Message string         `json:"message" doc:"A sentence for people"`
	Details map[string]any `json:"details,omitempty" shape:"details" doc:"Facts of the code's own shape. details.fields lists the problems of the input as {path, code, message}, of a file also line and column: the first hundred of them (of an import, the first thousand); details.moreErrors counts the others"`

	status int
	header http.Header
}

func problemOf(e *errs.Error) *Problem {
	p := &Problem{Code: e.Code, Message: e.Message, Details: e.Details, status: errs.Status(e.Code), header: http.Header{}}
	if fields, more := e.Listed(); len(fields) > 0 {
		p.Details = map[string]any{"fields": fields}
		if more > 0 {
			p.Details["moreErrors"] = more
		}
		maps.Copy(p.Details, e.Details)
	}
	if p.status >= 500 && e.Code == errs.Internal {
		p.Message = "Something went wrong on our side. The request id finds it in our log."
	}
	if e.RetryAfter > 0 {
		p.header.Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	if p.status == http.StatusUnauthorized {
		p.header.Set("WWW-Authenticate", `Bearer realm="assessd"`)
	}
	if p.Code == errs.StepUpRequired {
		p.header.Set("WWW-Authenticate", stepUpChallenge(e))
	}
	return p
}

// stepUpChallenge says how strongly, and how lately, somebody has to sign in (RFC 9470, section 3).
func stepUpChallenge(e *errs.Error) string {
	challenge := `Bearer realm="assessd", error="insufficient_user_authentication", error_description="A step-up proof is needed"`
	providers, _ := e.Details["providers"].([]idp.StepUp)
	var acr []string
	for _, p := range providers {
		acr = append(acr, p.ACRValues...)
	}
	if len(acr) > 0 {
		challenge += `, acr_values="` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(strings.Join(acr, " ")) + `"`
	}
	if len(providers) > 0 {
		least := slices.MinFunc(providers, func(a, b idp.StepUp) int { return cmp.Compare(a.MaxAge, b.MaxAge) })
		challenge += ", max_age=" + strconv.Itoa(least.MaxAge)
	}
	return challenge
}

// Error, GetStatus and GetHeaders let huma send a Problem as it is.
func (p *Problem) Error() string           { return string(p.Code) + ": " + p.Message }
func (p *Problem) GetStatus() int          { return p.status }
func (p *Problem) GetHeaders() http.Header { return p.header }

// present turns an error of an operation into its answer. An unexpected error is logged
// with its cause and answered without it.
func (s *Server) present(ctx context.Context, err error) *Problem {
	e := errs.Of(db.Translate(err))
	if errs.Status(e.Code) >= 500 {
		s.log.LogAttrs(ctx, slog.LevelError, "request failed", slog.String("code", string(e.Code)),
			slog.String("error", err.Error()), slog.String("requestId", callOf(ctx).scope.RequestID))
	}
	return problemOf(e)
}

// refuse answers from the guard, before huma takes over.
func (s *Server) refuse(hc huma.Context, err error) {
	s.abort(humagin.Unwrap(hc), s.present(hc.Context(), err))
}

// abort writes a problem from gin's side of the house.
func (s *Server) abort(gc *gin.Context, p *Problem) {
	for k, v := range p.header {
		gc.Writer.Header()[k] = v
	}
	gc.Abort()
	if html, ok := problemPage(gc, p); ok {
		gc.Header("Content-Security-Policy", problemPolicy)
		gc.Data(p.status, "text/html; charset=utf-8", html)
		return
	}
	var body bytes.Buffer
	_ = jsonFormat.Marshal(&body, p)
	gc.Data(p.status, "application/json", body.Bytes())
}

// huma keeps its error constructors in package variables. They are set before any server
// exists: setting them with each server is a data race with the others.
func init() {
	huma.ValidateStrictCasing = true
	huma.NewErrorWithContext = newHumaError
	huma.NewError = func(status int, msg string, found ...error) huma.StatusError {
		return newHumaError(nil, status, msg, found...)
	}
}

// newHumaError replaces huma's own errors of decoding and validation.
func newHumaError(hc huma.Context, status int, msg string, found ...error) huma.StatusError {
	for _, err := range found {
		if own, ok := err.(*Problem); ok {
			return own
		}
	}
	switch status {
	case http.StatusBadRequest:
		return problemOf(errs.New(errs.MalformedRequest, "The body cannot be parsed: %s.", firstOf(found, msg)))
	case http.StatusRequestEntityTooLarge:
		return problemOf(errs.New(errs.RequestTooLarge, "The body is larger than the limit."))
	case http.StatusUnsupportedMediaType:
		return problemOf(errs.New(errs.UnsupportedMediaType, "Send application/json."))
	case http.StatusRequestTimeout:
		return problemOf(errs.New(errs.MalformedRequest, "The body did not arrive in time."))
	case http.StatusNotAcceptable:
		return problemOf(errs.New(errs.NotAcceptable, "Only application/json can be produced."))
	case http.StatusUnprocessableEntity:
		return problemOf(errs.Of(errs.Invalid(fieldsOf(found)...)))
	}
	return problemOf(errs.New(errs.Internal, "%s", errs.Meaning(errs.Internal)))
}

// firstOf gives the decoder's first complaint.
func firstOf(found []error, msg string) string {
	for _, err := range found {
		if d, ok := err.(*huma.ErrorDetail); ok {
			return strings.TrimSuffix(d.Message, ".")
		}
	}
	return msg
}

func fieldsOf(found []error) []errs.Field {
	fields := []errs.Field{}
	for _, err := range found {
		switch err := err.(type) {
		case *huma.ErrorDetail:
			fields = append(fields, fieldOf(err))
		case *errs.Error:
			fields = append(fields, err.Fields...)
		default:
			fields = append(fields, errs.Field{Path: "body", Code: "invalid", Message: "the input cannot be read"})
		}
	}
	return fields
}

// complaints lets an input report what an operation would refuse, so that one answer has
// that and the complaints of the schema.
func complaints(err error) []error {
	if err == nil {
		return nil
	}
	return []error{err}
}

// fieldOf gives the place and the kind of a mistake. huma reports a missing field at its parent; a form
// needs the field itself.
func fieldOf(d *huma.ErrorDetail) errs.Field {
	path, message := jsonPath(d.Location), d.Message
	if strings.HasPrefix(message, "json: ") {
		return errs.Field{Path: path, Code: "wrong_type", Message: "a value is not of the type that its field has"}
	}
	switch missing := missingProperty.FindStringSubmatch(message); {
	case strings.Contains(message, "date-time"), strings.HasPrefix(message, "invalid date/time"):
		message = "expected a moment such as 2031-03-01T09:00:00Z"
	case isAboutID(message):
		message = "expected an id, which is a UUID"
	case missing != nil && path == "body":
		path = missing[1]
	case missing != nil:
		path += "." + missing[1]
	}
	return errs.Field{Path: shortened(path), Code: fieldCode(message), Message: message}
}

var missingProperty = regexp.MustCompile(`^expected required property (\S+) to be present$`)

// jsonPath takes off where the value came from: the client knows.
func jsonPath(location string) string {
	for _, prefix := range []string{"body.", "query.", "path.", "header."} {
		if rest, ok := strings.CutPrefix(location, prefix); ok {
			return rest
		}
	}
	return location
}

// isAboutID recognises complaints about ids: huma's about bodies, and the parser's about
// paths and queries, which mention lengths and prefixes.
func isAboutID(message string) bool {
	return strings.Contains(message, "UUID") || strings.Contains(message, "uuid") || strings.HasPrefix(message, "invalid value: invalid urn")
}

func fieldCode(message string) string {
	switch {
	case strings.HasPrefix(message, "expected required"), strings.HasPrefix(message, "required"):
		return "required"
	case strings.HasPrefix(message, "unexpected property"), strings.HasPrefix(message, "unknown query"):
		return "unknown_field"
	case strings.Contains(message, "one of"):
		return "not_allowed"
	case strings.Contains(message, "number <="), strings.Contains(message, "number >="), strings.Contains(message, "length"):
		return "out_of_range"
	case strings.HasPrefix(message, "expected"):
		return "wrong_type"
	}
	return "invalid"
}
