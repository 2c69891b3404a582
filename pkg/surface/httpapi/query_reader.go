package httpapi

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/wire"
)

// queryReader holds the parameters of a request against their description.
type queryReader struct {
	schemas huma.Registry
	found   *errs.Found
	given   map[string][]string
}

// read splits a query without dropping anything: net/url leaves out pairs that it cannot decode,
// and huma takes the first of several values.
func (q *queryReader) read(raw string, params []*huma.Param) {
	for pair := range strings.SplitSeq(raw, "&") {
		if pair != "" {
			q.split(pair)
		}
	}
	for _, p := range params {
		if p.In != "query" {
			continue
		}
		values, given := q.given[p.Name]
		delete(q.given, p.Name)
		q.refuseIf(p.Required && !given, p.Name, "required", "the query parameter is missing")
		if given {
			q.vet(p, values)
		}
	}
	for _, name := range sortedKeys(q.given) {
		q.refuse(name, "unknown_field", "unknown query parameter")
	}
}

func (q *queryReader) split(pair string) {
	name, value, _ := strings.Cut(pair, "=")
	key, err := url.QueryUnescape(name)
	if err != nil {
		q.refuse("query", "invalid", "a name has a broken percent escape")
		return
	}
	text, err := url.QueryUnescape(value)
	if err != nil || strings.Contains(pair, ";") {
		q.refuse(key, "invalid", "write %, & and ; as percent escapes: %25, %26 and %3B")
		return
	}
	q.given[key] = append(q.given[key], text)
}

// vet looks at the values of a parameter.
func (q *queryReader) vet(p *huma.Param, values []string) {
	list := p.Schema.Type == huma.TypeArray
	if joined := list && (p.Explode == nil || !*p.Explode); joined {
		q.refuseIf(len(values) > 1, p.Name, "repeated", "give it once, with its values joined by commas")
		values = strings.Split(values[0], ",")
	}
	q.refuseIf(!list && len(values) > 1, p.Name, "repeated", "give it once")
	for _, text := range values {
		if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
			q.refuse(p.Name, "invalid_characters", "NUL characters and invalid UTF-8 are not allowed")
			return
		}
	}
	var value any = values
	if !list {
		if values[0] == "" {
			return
		}
		value = q.parse(p, values[0])
	}
	if value == nil {
		return
	}
	result := huma.ValidateResult{}
	at := huma.NewPathBuffer(nil, 0)
	at.Push(p.Name)
	huma.Validate(q.schemas, p.Schema, at, huma.ModeWriteToServer, value, &result)
	q.found.AddUnsaid(fieldsOf(result.Errors)...)
}

// parse reads a value by its type; nil and a problem when it is of another one.
func (q *queryReader) parse(p *huma.Param, text string) any {
	var value any
	var err error
	switch p.Schema.Type {
	case huma.TypeInteger:
		value, err = strconv.ParseInt(text, 10, 64)
	case huma.TypeNumber:
		value, err = strconv.ParseFloat(text, 64)
	case huma.TypeBoolean:
		value, err = strconv.ParseBool(text)
	default:
		value = text
	}
	if err == nil && p.Schema.Format == "date-time" {
		_, err = wire.ReadMoment(text)
		if errors.Is(err, wire.ErrOutOfRange) {
			q.refuse(p.Name, "out_of_range", err.Error())
			return nil
		}
	}
	if !isLanguage(p.Schema, text) {
		q.refuse(p.Name, "invalid_locale", notLanguage)
		return nil
	}
	if err != nil {
		q.refuse(p.Name, "wrong_type", wanted[kindOf(p.Schema)])
		return nil
	}
	return value
}

func kindOf(s *huma.Schema) string {
	if s.Format == "date-time" {
		return s.Format
	}
	return s.Type
}

// wanted describes the expected form of a parameter of a type.
var wanted = map[string]string{
	huma.TypeInteger: "expected integer", huma.TypeNumber: "expected number", huma.TypeBoolean: "expected true or false",
	"date-time": "expected a moment such as 2031-03-01T09:00:00Z",
}

func (q *queryReader) refuseIf(wrong bool, name, code, message string) {
	if wrong {
		q.refuse(name, code, message)
	}
}

func (q *queryReader) refuse(name, code, message string) {
	q.found.Add(errs.Field{Path: shortened(strings.ToValidUTF8(strings.ReplaceAll(name, "\x00", "�"), "�")), Code: code, Message: message})
}

func sortedKeys(m map[string][]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
