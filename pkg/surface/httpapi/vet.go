package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"mime"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/errs"
)

// vet looks for everything that is wrong with the query, the headers and the body before huma
// decodes them, and puts in their place what is left when the unreadable is taken out. So the
// handler can still say what the rules have against the rest, and one answer has it all. A body
// that cannot be parsed at all is an error of its own.
func (s *Server) vet(hc huma.Context, r route, c *call) error {
	req := humagin.Unwrap(hc).Request
	op := hc.Operation()
	query := &queryReader{schemas: s.api.OpenAPI().Components.Schemas, found: &c.found, given: map[string][]string{}}
	query.read(req.URL.RawQuery, op.Parameters)
	if !c.found.None() {
		req.URL.RawQuery = query.kept.Encode()
	}
	s.vetHeaders(req, op, &c.found)
	if r.Upload || op.RequestBody == nil {
		return nil
	}
	return s.vetBody(req, r, op, c)
}

// vetHeaders looks at the headers that the description names.
func (s *Server) vetHeaders(req *http.Request, op *huma.Operation, found *errs.Found) {
	for _, p := range op.Parameters {
		if p.In != "header" || req.Header.Get(p.Name) == "" || p.Name == keyHeader {
			continue
		}
		q := queryReader{schemas: s.api.OpenAPI().Components.Schemas, found: found}
		if !q.fits(p, req.Header.Values(p.Name)) {
			req.Header.Del(p.Name)
		}
	}
}

// vetBody reads a JSON body. The other form of an import is a file.
func (s *Server) vetBody(req *http.Request, r route, op *huma.Operation, c *call) error {
	described := op.RequestBody.Content["application/json"]
	media := req.Header.Get("Content-Type")
	switch {
	case r.LargeBody && isCSV(media), r.Package && isJSON(media), len(c.body) == 0:
		return nil
	case !isJSON(media):
		return errs.New(errs.UnsupportedMediaType, "Send %s.", strings.Join(slices.Sorted(maps.Keys(op.RequestBody.Content)), " or "))
	}
	if len(c.body) > bigBody {
		s.bigBodies <- struct{}{}
		start := time.Now()
		defer func() {
			if !c.found.None() {
				time.Sleep(rest * time.Since(start))
			}
			<-s.bigBodies
		}()
	}
	before := c.found.Count()
	tree, err := s.readJSON(c.body, described.Schema, &c.found)
	if err != nil || c.found.Count() == before || r.LargeBody {
		return err
	}
	c.body, err = json.Marshal(tree)
	if err != nil {
		return errs.Wrap(errs.Internal, err, "The body cannot be written anew.")
	}
	req.Body = io.NopCloser(bytes.NewReader(c.body))
	return nil
}

// bigBody is the size from which on bodies are read one after the other, a few at once: a value
// takes more memory than the few bytes that it is written in.
const bigBody = 64 << 10

// rest is how long the place of a big body with problems stays taken, in times of what reading it
// took: so a flood of them gets a quarter of the processors that read such bodies.
const rest = 3

// bigAtOnce says how many: half of the processors are left to everything else.
func bigAtOnce() int { return max(1, runtime.GOMAXPROCS(0)/2) }

// readJSON holds a body against its schema, and gives it without what cannot be decoded.
// Errors: malformed_request; validation_failed where what is left would not be the caller's
// input any more.
func (s *Server) readJSON(body []byte, schema *huma.Schema, found *errs.Found) (any, error) {
	if !utf8.Valid(body) {
		return nil, errs.New(errs.MalformedRequest, "The body cannot be parsed: it is not valid UTF-8.")
	}
	err := checkJSON(body)
	if err != nil {
		return nil, err
	}
	r := bodyReader{schemas: s.api.OpenAPI().Components.Schemas, found: found, data: body}
	tree, _ := r.read(schema)
	if r.values > maxValues {
		found.Add(errs.Field{Path: "body", Code: "too_many", Message: "at most 50,000 values"})
		return nil, found.Err()
	}
	at, result := huma.NewPathBuffer(nil, 0), huma.ValidateResult{}
	at.Push("body")
	huma.Validate(r.schemas, schema, at, huma.ModeWriteToServer, tree, &result)
	found.AddUnsaid(fieldsOf(result.Errors)...)
	for _, err := range result.Errors {
		if d := err.(*huma.ErrorDetail); isUnreadable(fieldOf(d)) {
			cut(tree, strings.TrimPrefix(d.Location, "body"))
		}
	}
	if _, ok := tree.(map[string]any); !ok {
		return nil, found.Err()
	}
	return tree, nil
}

// checkJSON says what is wrong with a body that is no JSON.
func checkJSON(body []byte) error {
	if json.Valid(body) {
		return nil
	}
	var nothing json.RawMessage
	err := json.Unmarshal(body, &nothing)
	return errs.Wrap(errs.MalformedRequest, err, "The body cannot be parsed: %s.", err)
}

// isUnreadable says whether a value that a problem is about cannot be decoded. Others are left
// to the rules, which may have more to say about them.
func isUnreadable(f errs.Field) bool { return f.Code == "wrong_type" || f.Code == "invalid" }

// cut takes the value at a path out of a tree: a field away, and of an element what it says, so
// that those behind it keep their places.
func cut(tree any, path string) {
	for path != "" {
		var step string
		step, path = firstStep(path)
		switch at := tree.(type) {
		case map[string]any:
			if path == "" {
				delete(at, step)
			}
			tree = at[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return
			}
			if path == "" {
				at[i] = nil
			}
			tree = at[i]
		default:
			return
		}
	}
}

// firstStep splits ".answers[3].itemId" into "answers" and "[3].itemId".
func firstStep(path string) (string, string) {
	if index, ok := strings.CutPrefix(path, "["); ok {
		step, rest, _ := strings.Cut(index, "]")
		return step, rest
	}
	path = strings.TrimPrefix(path, ".")
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		return path, ""
	}
	return path[:end], path[end:]
}

func isCSV(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == "text/csv"
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
