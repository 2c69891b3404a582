package httpapi_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"assess/config"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/httpapi"
)

// hostile are values of a parameter as they are written in a query.
var hostile = map[string]string{
	"NUL": "a%00b", "invalid UTF-8": "%ff%fe", "broken escape": "%zz", "overlong": strings.Repeat("a", 5000),
	"negative": "-1", "huge number": "99999999999999999999", "largest number": "9223372036854775807", "word": "word", "semicolon": "a;b",
}

// Malformed query parameters are answered with an error of the caller's, and it names them.
func TestMalformedParametersAreTheCallersFault(t *testing.T) {
	t.Parallel()
	w := newTown(t, func(c *config.Config) { c.Auth.LoginPerAddress = 1_000_000 })
	document := described(t)
	for _, l := range httpapi.Lines() {
		params := document.Paths.Value("/api/v1" + l.Path).GetOperation(l.Method).Parameters
		for _, p := range params {
			if p.Value.In == openapi3.ParameterInQuery {
				t.Run(l.ID+" "+p.Value.Name, func(t *testing.T) { w.tryParameter(t, l, p.Value.Name) })
			}
		}
		t.Run(l.ID+" unknown", func(t *testing.T) { w.tryParameter(t, l, "no_such_parameter") })
	}
}

func (w *town) tryParameter(t *testing.T, l httpapi.Line, name string) {
	for kind, value := range hostile {
		r := w.plain(t, l)
		base, query, _ := strings.Cut(r.path, "?")
		given, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		given.Del(name)
		r.path = base + "?" + name + "=" + value + "&" + given.Encode()
		got := w.send(t, r)
		if got.status >= 500 {
			t.Errorf("%s: got %d %s", kind, got.status, got.body)
		}
		mustFail := kind == "NUL" || kind == "invalid UTF-8" || kind == "broken escape" || kind == "semicolon"
		if mustFail && got.status != http.StatusTooManyRequests && !names(got, name) {
			t.Errorf("%s: got %d %s, want a problem of %s", kind, got.status, got.body, name)
		}
	}
}

// plain is a valid request without additions, with a body that may be wrong in other ways.
func (w *town) plain(t *testing.T, l httpapi.Line) request {
	t.Helper()
	if l.Public {
		return request{method: l.Method, path: l.Path, body: `{}`}
	}
	r := request{method: l.Method, path: pathOf(l, w.home), token: w.home.caller(l).Token, key: ids.New().String()}
	if b, ok := body[l.ID]; ok {
		r.body = b(w.home)
	}
	if l.Upload {
		r.contentType = "image/png"
	}
	return r
}

// lift forgets who called how often.
func (w *town) lift(t *testing.T) {
	t.Helper()
	if _, err := w.app.Store.Unscoped().Exec(t.Context(), "delete from rate_limits"); err != nil {
		t.Fatal(err)
	}
}

// names says whether an answer has a problem at a place.
func names(got response, path string) bool {
	for _, f := range fieldsOf(got) {
		if f.Path == path {
			return true
		}
	}
	return false
}

func fieldsOf(got response) []errs.Field {
	encoded, err := json.Marshal(got.problem.Details["fields"])
	if err != nil {
		return nil
	}
	var fields []errs.Field
	_ = json.Unmarshal(encoded, &fields) // none are an empty list
	return fields
}

// A parameter that is not a list is given once, and a value given twice is never dropped.
func TestRepeatedParametersAreRefusedOrLists(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	document := described(t)
	for _, l := range httpapi.Lines() {
		for _, p := range document.Paths.Value("/api/v1" + l.Path).GetOperation(l.Method).Parameters {
			if p.Value.In != openapi3.ParameterInQuery {
				continue
			}
			list := p.Value.Schema.Value.Type.Includes(openapi3.TypeArray) && p.Value.Explode != nil && *p.Value.Explode
			r := w.plain(t, l)
			base, _, _ := strings.Cut(r.path, "?")
			value := url.QueryEscape(fitting(p.Value.Schema.Value))
			r.path = base + "?" + p.Value.Name + "=" + value + "&" + p.Value.Name + "=" + value
			got := w.send(t, r)
			if got.status == http.StatusTooManyRequests {
				w.lift(t)
				got = w.send(t, r)
			}
			if names(got, p.Value.Name) == list || got.status >= 500 {
				t.Errorf("%s %s: got %d %s", l.ID, p.Value.Name, got.status, got.body)
			}
		}
	}
}

func TestABadLanguageIsAnError(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	document := described(t)
	n := 0
	for _, l := range httpapi.Lines() {
		if document.Paths.Value("/api/v1"+l.Path).GetOperation(l.Method).Parameters.GetByInAndName("query", "lang") == nil {
			continue
		}
		n++
		for _, lang := range []string{"not a language", "x", "12", "en us"} {
			r := w.plain(t, l)
			base, _, _ := strings.Cut(r.path, "?")
			r.path = base + "?lang=" + url.QueryEscape(lang)
			if got := w.send(t, r); got.status != http.StatusUnprocessableEntity || !names(got, "lang") {
				t.Errorf("%s %s: got %d %s", l.ID, lang, got.status, got.body)
			}
		}
	}
	if n < 10 {
		t.Errorf("%d routes take lang", n)
	}
}

// Malformed headers never break a route, whichever it is. Each route gets each header once, and each header
// each value at many routes.
func TestMalformedHeadersAreTheCallersFault(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	document := described(t)
	values := []string{"\xff\xfe", strings.Repeat("a", 9000), "-1", `{"kind":"auth.session","fields":{"room":"\u0000"}}`, `{"fields":[[[[1`, "a,b;c"}
	for i, l := range httpapi.Lines() {
		names := []string{"Authorization", "Content-Type", "Accept", "X-Request-Id", "If-None-Match"}
		for _, p := range document.Paths.Value("/api/v1" + l.Path).GetOperation(l.Method).Parameters {
			if p.Value.In == openapi3.ParameterInHeader {
				names = append(names, p.Value.Name)
			}
		}
		for n, name := range names {
			w.tryHeader(t, l, name, values[(i+n)%len(values)])
		}
	}
}

func (w *town) tryHeader(t *testing.T, l httpapi.Line, name, value string) {
	t.Helper()
	r := w.plain(t, l)
	r.header = map[string]string{name: value}
	if got := w.send(t, r); got.status >= 500 {
		t.Errorf("%s with %s %q: got %d %s", l.ID, name, value[:min(len(value), 20)], got.status, got.body)
	}
}

// Every place of every body takes every kind of wrong value, and says so without a failure.
func TestMalformedBodiesAreTheCallersFault(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	wrong := []any{nil, true, -1, 1e300, 1.5, "a\x00b", strings.Repeat("a", 70_000), []any{}, map[string]any{}, []any{nil, 1, "x", map[string]any{}},
		map[string]any{"a": map[string]any{"b": []any{1}}}, json.Number("99999999999999999999"), json.Number("1e400"), json.RawMessage(`"\ud800"`)}
	guarded(t, w, posted, func(t *testing.T, _ httpapi.Line, r request) {
		var tree any
		err := json.Unmarshal(encoded(t, r.body), &tree)
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range places(tree, nil) {
			for _, value := range wrong {
				r.body, r.key = replaced(tree, place, value), ids.New().String()
				got := w.send(t, r)
				text, _ := value.(string)
				if got.status >= 500 || strings.Contains(text, "\x00") && got.status != http.StatusUnprocessableEntity {
					t.Errorf("%v = %.40v: got %d %s", place, value, got.status, got.body)
				}
			}
		}
		for _, raw := range []string{"", " ", "null", "1", "\xff", `{"a":"` + "\xff" + `"}`, `{"a":1,"a":2}`, "{\"a\x00\":1}", strings.Repeat("[", 20_000), "{", "[1,]"} {
			r.body, r.key = raw, ids.New().String()
			if got := w.send(t, r); got.status >= 500 {
				t.Errorf("%.40q: got %d %s", raw, got.status, got.body)
			}
		}
	})
}

// places lists the paths to every value below a tree, only the first element of each array.
func places(tree any, at []any) [][]any {
	var all [][]any
	switch tree := tree.(type) {
	case map[string]any:
		for k, v := range tree {
			next := append(append([]any{}, at...), k)
			all = append(append(all, next), places(v, next)...)
		}
	case []any:
		if len(tree) > 0 {
			next := append(append([]any{}, at...), 0)
			all = append(append(all, next), places(tree[0], next)...)
		}
	}
	return all
}

// replaced gives a copy of a tree with another value at a place.
func replaced(tree any, place []any, value any) any {
	if len(place) == 0 {
		return value
	}
	switch tree := tree.(type) {
	case map[string]any:
		copied := map[string]any{}
		for k, v := range tree {
			copied[k] = v
		}
		copied[place[0].(string)] = replaced(tree[place[0].(string)], place[1:], value)
		return copied
	case []any:
		copied := append([]any{}, tree...)
		copied[0] = replaced(tree[0], place[1:], value)
		return copied
	}
	return tree
}

// Broken framing gets an error body where the request can be told apart, and never a failure.
func TestBrokenFramingIsTheCallersFault(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	address := strings.TrimPrefix(w.app.URL, "http://")
	for _, l := range httpapi.Lines() {
		if l.Method == http.MethodGet || l.Method == http.MethodDelete {
			continue
		}
		r := w.plain(t, l)
		contentType := "application/json"
		if l.LargeBody {
			contentType = "text/csv"
		}
		head := fmt.Sprintf("%s /api/v1%s HTTP/1.1\r\nHost: x\r\nContent-Type: %s\r\nIdempotency-Key: k\r\n", l.Method, r.path, contentType)
		if r.token != "" {
			head += "Authorization: Bearer " + r.token + "\r\n"
		}
		for _, rest := range []string{"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\n{}\r\n",
			"Content-Length: 50\r\n\r\n{}", "Content-Length: x\r\n\r\n{}", "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}"} {
			if status := talk(t, address, head+rest); status < 400 || status >= 500 {
				t.Errorf("%s %q: got %d", l.ID, rest, status)
			}
		}
	}
}

// talk sends bytes, ends the stream and gives the status of the answer.
func talk(t *testing.T, address, text string) int {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	_, err = io.WriteString(conn, text)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.(*net.TCPConn).CloseWrite()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

// A field that a body does not have is refused by every route, not left out in silence.
func TestEveryBodyIsClosed(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	guarded(t, w, posted, func(t *testing.T, l httpapi.Line, r request) {
		sent, err := json.Marshal(r.body)
		if err != nil || len(sent) == 0 || sent[0] != '{' {
			return
		}
		r.body, r.contentType = `{"nosuch":1`+strings.Replace(","+string(sent[1:]), ",}", "}", 1), "application/json"
		got := w.send(t, r)
		if got.status != http.StatusUnprocessableEntity || !names(got, "nosuch") {
			t.Errorf("got %d %s", got.status, got.body)
		}
	})
}
