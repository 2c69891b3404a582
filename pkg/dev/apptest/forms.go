package apptest

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Forms that all answers must keep to: times have three digits of milliseconds and are in UTC,
// durations are whole milliseconds (decisions, section 1). A wall-clock time has no zone, and is
// not such a time.
var (
	anyTime  = regexp.MustCompile(`[",]\d{4}-\d\d-\d\dT\d\d:\d\d[^",\s]*(Z|[+-]\d\d:\d\d)[",\n]`)
	goodTime = regexp.MustCompile(`^.\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z.$`)
	broken   = regexp.MustCompile(`"[A-Za-z0-9_]*(Ms|_ms)":-?\d+[.eE][^,}\]]*`)
)

// heldToForms checks the times and durations in every successful answer, and fails the test if
// one has another form. It skips the description of the interface, which also shows times as
// clients may send them.
func heldToForms(t testing.TB, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &copied{ResponseWriter: w}
		next.ServeHTTP(seen, r)
		kind := w.Header().Get("Content-Type")
		if r.URL.Path == "/openapi.json" || seen.status >= 300 || !strings.Contains(kind, "json") && !strings.Contains(kind, "csv") {
			return
		}
		for _, wrong := range outOfForm(seen.body.String()) {
			t.Errorf("%s %s answers %s: another form than other times and durations have", r.Method, r.URL.Path, wrong)
		}
	})
}

// outOfForm lists the times and durations of an answer that have another form.
func outOfForm(body string) []string {
	var wrong []string
	for _, at := range anyTime.FindAllString(body, -1) {
		if !goodTime.MatchString(at) {
			wrong = append(wrong, at)
		}
	}
	return append(wrong, broken.FindAllString(body, -1)...)
}

// copied keeps a copy of everything written.
type copied struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (c *copied) WriteHeader(status int) {
	c.status = status
	c.ResponseWriter.WriteHeader(status)
}

func (c *copied) Write(p []byte) (int, error) {
	c.body.Write(p)
	return c.ResponseWriter.Write(p)
}

// Flush and Unwrap let through what the server asks of its writer.
func (c *copied) Flush() {
	if f, ok := c.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

func (c *copied) Unwrap() http.ResponseWriter { return c.ResponseWriter }
