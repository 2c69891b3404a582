package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/wire"
)

const (
	// maxNesting bounds the levels of a body: a content document has 20 at most.
	maxNesting = 64
	// maxValues bounds the values of a body. The largest lists that routes take have 10,000
	// targets of three values each.
	maxValues = 50_000
)

// bodyReader reads a body that is valid JSON into the values that the schema validates. It finds, and
// leaves out, everything that could make the list of problems long, or use memory out of proportion to
// the body: unknown fields, elements past the length of an array, levels past the deepest.
type bodyReader struct {
	schemas huma.Registry
	found   *errs.Found
	data    []byte
	at      int
	// path names the value that is being read: ".answers[3].itemId".
	path   []byte
	values int
}

// read gives the value of the whole body; false when it is left out.
func (r *bodyReader) read(s *huma.Schema) (any, bool) { return r.value(s, 1) }

func (r *bodyReader) value(s *huma.Schema, level int) (any, bool) {
	r.values++
	c := r.next()
	if r.values > maxValues || level > maxNesting {
		r.skip()
		if level > maxNesting {
			r.refuse("too_deep", fmt.Sprintf("at most %d levels", maxNesting))
		}
		return nil, false
	}
	s = r.concrete(s)
	switch c {
	case '{':
		return r.object(s, level)
	case '[':
		return r.array(s, level)
	case '"':
		return r.text(s)
	case 't', 'f', 'n':
		return r.word(), true
	}
	return r.number(s)
}

// concrete follows references, and takes the alternative that is not null.
func (r *bodyReader) concrete(s *huma.Schema) *huma.Schema {
	for s != nil && (s.Ref != "" || len(s.AnyOf) > 0) {
		if s.Ref != "" {
			s = r.schemas.SchemaFromRef(s.Ref)
			continue
		}
		i := slices.IndexFunc(s.AnyOf, func(a *huma.Schema) bool { return a.Type != "null" })
		if i < 0 {
			return nil
		}
		s = s.AnyOf[i]
	}
	return s
}

func (r *bodyReader) object(s *huma.Schema, level int) (any, bool) {
	found := map[string]any{}
	outer := len(r.path)
	defer func() { r.path = r.path[:outer] }()
	r.at++
	for r.next() != '}' {
		key, _ := r.unquote()
		r.next() // the colon
		r.at++
		r.path = append(append(r.path[:outer], '.'), key...)
		field, known := fieldSchema(s, key)
		_, twice := found[key]
		switch {
		case !known:
			r.refuse("unknown_field", "unexpected property")
		case twice:
			r.refuse("repeated", "the field is given twice")
		}
		if !known || twice {
			r.next()
			r.skip()
		} else if v, ok := r.value(field, level+1); ok {
			found[key] = v
		}
		r.comma()
	}
	r.at++
	return found, true
}

// fieldSchema gives a schema's part for a field; false for a field that it does not allow.
func fieldSchema(s *huma.Schema, key string) (*huma.Schema, bool) {
	if s == nil || s.Type != huma.TypeObject {
		return nil, !strings.ContainsRune(key, 0)
	}
	if field, ok := s.Properties[key]; ok {
		return field, true
	}
	switch others := s.AdditionalProperties.(type) {
	case bool:
		return nil, others
	case *huma.Schema:
		return others, !strings.ContainsRune(key, 0)
	}
	return nil, true
}

func (r *bodyReader) array(s *huma.Schema, level int) (any, bool) {
	var items *huma.Schema
	most := maxValues
	if s != nil && s.Type == huma.TypeArray {
		items = s.Items
		if s.MaxItems != nil {
			most = *s.MaxItems
		}
	}
	found := []any{}
	outer := len(r.path)
	r.at++
	n := 0
	for ; r.next() != ']'; n++ {
		if n >= most {
			r.skip()
			r.comma()
			continue
		}
		r.path = strconv.AppendInt(append(r.path[:outer], '['), int64(n), 10)
		r.path = append(r.path, ']')
		v, _ := r.value(items, level+1)
		found = append(found, v)
		r.comma()
	}
	r.at++
	r.path = r.path[:outer]
	if n > most {
		r.refuse("out_of_range", fmt.Sprintf("expected array length <= %d", most))
	}
	return found, true
}

func (r *bodyReader) text(s *huma.Schema) (any, bool) {
	text, ok := r.unquote()
	switch {
	case !ok || strings.ContainsRune(text, 0):
		r.refuse("invalid_characters", "NUL characters and halves of surrogate pairs are not allowed")
		return nil, false
	case s != nil && !isLanguage(s, text):
		r.refuse("invalid_locale", notLanguage)
		return nil, false
	case s != nil && s.Format == "date-time":
		// The schema refuses texts that are not a moment at all.
		if _, err := wire.ReadMoment(text); errors.Is(err, wire.ErrOutOfRange) {
			r.refuse("out_of_range", err.Error())
			return nil, false
		}
	}
	return text, true
}

// number refuses numbers that Go cannot hold; the schema checks the rest.
func (r *bodyReader) number(s *huma.Schema) (any, bool) {
	start := r.at
	for r.at < len(r.data) && !endsNumber(r.data[r.at]) {
		r.at++
	}
	text := string(r.data[start:r.at])
	if s != nil && s.Type == huma.TypeInteger {
		bits := 64
		if s.Format == "int32" {
			bits = 32
		}
		_, err := strconv.ParseInt(text, 10, bits)
		if err != nil && !strings.ContainsAny(text, ".eE") {
			r.refuse("out_of_range", "the number is too large")
			return nil, false
		}
		if err != nil {
			r.refuse("wrong_type", "expected integer")
			return nil, false
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		r.refuse("out_of_range", "the number is too large")
		return nil, false
	}
	return v, true
}

func (r *bodyReader) word() any {
	switch r.data[r.at] {
	case 't':
		r.at += len("true")
		return true
	case 'f':
		r.at += len("false")
		return false
	}
	r.at += len("null")
	return nil
}

// refuse notes a problem of the value at the path.
func (r *bodyReader) refuse(code, message string) {
	path := strings.TrimPrefix(string(r.path), ".")
	if path == "" {
		path = "body"
	}
	r.found.Add(errs.Field{Path: shortened(path), Code: code, Message: message})
}

// longestPath bounds how much of a field's own name comes back.
const longestPath = 200

func shortened(path string) string {
	if len(path) > longestPath {
		return strings.ToValidUTF8(path[:longestPath], "") + "…"
	}
	return path
}

// next gives the first byte of the next value or sign.
func (r *bodyReader) next() byte {
	for isSpace(r.data[r.at]) {
		r.at++
	}
	return r.data[r.at]
}

func (r *bodyReader) comma() {
	if r.next() == ',' {
		r.at++
	}
}

// quoted gives the text that comes next with its quotes.
func (r *bodyReader) quoted() []byte {
	start := r.at
	for r.at++; r.data[r.at] != '"'; r.at++ {
		if r.data[r.at] == '\\' {
			r.at++
		}
	}
	r.at++
	return r.data[start:r.at]
}

// unquote gives the text that comes next; false if it is not valid text, which encoding/json
// would silently repair.
func (r *bodyReader) unquote() (string, bool) {
	raw := r.quoted()
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err == nil && (!strings.ContainsRune(text, '\uFFFD') || !hasLoneSurrogate(raw))
}

// hasLoneSurrogate says whether a text contains half of a surrogate pair, which encodes no
// character.
func hasLoneSurrogate(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		first, ok := escaped(raw[i:])
		if !ok {
			i++
			continue
		}
		i += len(`\u0000`) - 1
		if !utf16.IsSurrogate(first) {
			continue
		}
		second, ok := escaped(raw[i+1:])
		if !ok || utf16.DecodeRune(first, second) == utf8.RuneError {
			return true
		}
		i += len(`\u0000`)
	}
	return false
}

// escaped reads an escape such as \u00fc at the beginning of raw.
func escaped(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	return rune(n), err == nil
}

// skip passes over the value that comes next.
func (r *bodyReader) skip() {
	for open := 0; ; {
		switch c := r.data[r.at]; {
		case c == '"':
			r.quoted()
		case c == '{', c == '[':
			open++
			r.at++
		case c == '}', c == ']':
			open--
			r.at++
		case isSpace(c), c == ',', c == ':':
			r.at++
			continue
		default:
			for r.at < len(r.data) && !endsNumber(r.data[r.at]) {
				r.at++
			}
		}
		if open == 0 {
			return
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// endsNumber says whether a byte ends the number or word before it.
func endsNumber(c byte) bool { return isSpace(c) || c == ',' || c == ']' || c == '}' }
