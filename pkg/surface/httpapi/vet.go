package httpapi

import (
	"encoding/json"
	"maps"
	"mime"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/errs"
)

// vet looks for all mistakes in the form of parameters and body, before huma decodes them: one answer has
// them all. A body that cannot be parsed at all is an error of its own. Complaints of the rules about an input come later.
func (s *Server) vet(hc huma.Context, r route, c *call) error {
	op := hc.Operation()
	var found errs.Found
	s.vetParameters(hc, op.Parameters, &found)
	if !r.Upload && op.RequestBody != nil {
		err := s.vetBody(humagin.Unwrap(hc).Request, r, op, c.body, &found)
		if err != nil {
			return err
		}
	}
	return found.Err()
}

func (s *Server) vetParameters(hc huma.Context, params []*huma.Param, found *errs.Found) {
	q := queryReader{schemas: s.api.OpenAPI().Components.Schemas, found: found, given: map[string][]string{}}
	req := humagin.Unwrap(hc).Request
	q.read(req.URL.RawQuery, params)
	for _, p := range params {
		switch {
		case p.In == "path":
			q.vet(p, []string{hc.Param(p.Name)})
		case p.In == "header" && p.Name != keyHeader && req.Header.Get(p.Name) != "":
			q.vet(p, req.Header.Values(p.Name))
		}
	}
}

// vetBody reads a JSON body. The other form of an import is a file.
func (s *Server) vetBody(req *http.Request, r route, op *huma.Operation, body []byte, found *errs.Found) error {
	media := req.Header.Get("Content-Type")
	switch {
	case r.LargeBody && isCSV(media), r.Bank && isBank(media), r.Package && isJSON(media), len(body) == 0:
		return nil
	case !isJSON(media):
		return errs.New(errs.UnsupportedMediaType, "Send %s.", strings.Join(slices.Sorted(maps.Keys(op.RequestBody.Content)), " or "))
	}
	if len(body) > bigBody {
		s.bigBodies <- struct{}{}
		start := time.Now()
		defer func() {
			if !found.None() {
				time.Sleep(rest * time.Since(start))
			}
			<-s.bigBodies
		}()
	}
	return s.readJSON(body, op.RequestBody.Content["application/json"].Schema, found)
}

// bigBody is the size from which on bodies are read one after the other, a few at once: a value
// takes more memory than the few bytes that it is written in.
const bigBody = 64 << 10

// rest is how long the place of a big body with problems stays taken, in multiples of the time for reading
// it: so a flood of them gets a quarter of the processors that read such bodies.
const rest = 3

// bigAtOnce says how many: half of the processors are left to everything else.
func bigAtOnce() int { return max(1, runtime.GOMAXPROCS(0)/2) }

// readJSON compares a body with its schema. Errors: malformed_request.
func (s *Server) readJSON(body []byte, schema *huma.Schema, found *errs.Found) error {
	if !utf8.Valid(body) {
		return errs.New(errs.MalformedRequest, "The body cannot be parsed: it is not valid UTF-8.")
	}
	err := checkJSON(body)
	if err != nil {
		return err
	}
	r := bodyReader{schemas: s.api.OpenAPI().Components.Schemas, found: found, data: body}
	tree, _ := r.read(schema)
	if r.values > maxValues {
		found.Add(errs.Field{Path: "body", Code: "too_many", Message: "at most 50,000 values"})
		return nil
	}
	at, result := huma.NewPathBuffer(nil, 0), huma.ValidateResult{}
	at.Push("body")
	huma.Validate(r.schemas, schema, at, huma.ModeWriteToServer, tree, &result)
	found.AddUnsaid(fieldsOf(result.Errors)...)
	return nil
}

// checkJSON gives the mistake in a body that is not JSON.
func checkJSON(body []byte) error {
	if json.Valid(body) {
		return nil
	}
	var nothing json.RawMessage
	err := json.Unmarshal(body, &nothing)
	return errs.Wrap(errs.MalformedRequest, err, "The body cannot be parsed: %s.", err)
}

func isCSV(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "text/csv"
}

// isBank says that a body is a question bank of another system, by its type.
func isBank(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && slices.Contains(bankTypes, media)
}

// isJSON says whether a body is JSON by its type; one without a type is taken for it.
func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return contentType == "" || err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
}

// languageFormat marks the texts that are language tags.
const (
	languageFormat = "bcp47"
	notLanguage    = "expected a language tag such as en or pt-BR"
)

func isLanguage(s *huma.Schema, text string) bool {
	if s.Format != languageFormat || text == "" {
		return true
	}
	_, ok := content.NormaliseLocale(text)
	return ok
}
