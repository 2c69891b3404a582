package apidocs

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func get(t *testing.T, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	handler, err := Handler("/openapi.json", `Reference <of> "all"`, "Begin <script>here</script> with `POST /login`.")
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func TestPageStaysWithinItsOrigin(t *testing.T) {
	t.Parallel()
	w := get(t, "/docs")
	body := w.Body.String()
	if w.Code != http.StatusOK || !strings.Contains(body, `data-description="/openapi.json"`) {
		t.Fatalf("GET /docs = %d\n%s", w.Code, body)
	}
	if !strings.Contains(body, "<title>Reference &lt;of&gt; &#34;all&#34;</title>") {
		t.Errorf("title is not escaped:\n%s", body)
	}
	if want := "with <code>POST /login</code>."; !strings.Contains(body, want) || strings.Contains(body, "<script>here") {
		t.Errorf("the introduction is not there, or not safe:\n%s", body)
	}
	outside := regexp.MustCompile(`(src|href)="(https?:)?//|<script>|<style`)
	if found := outside.FindString(body); found != "" {
		t.Errorf("page refers to another host or holds inline code: %q", found)
	}
	csp := w.Header().Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self';", "connect-src 'self';"} {
		if !strings.Contains(csp, want) {
			t.Errorf("policy %q lacks %q", csp, want)
		}
	}
}

func TestEveryScriptOfThePageIsServedForEver(t *testing.T) {
	t.Parallel()
	scripts := regexp.MustCompile(`<script src="([^"]+)">`).FindAllStringSubmatch(get(t, "/docs").Body.String(), -1)
	if len(scripts) != 2 {
		t.Fatalf("page has %d scripts, want 2", len(scripts))
	}
	for _, script := range scripts {
		w := get(t, script[1], "Accept-Encoding", "gzip")
		if w.Code != http.StatusOK {
			t.Errorf("GET %s = %d", script[1], w.Code)
		}
		if got := w.Header().Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("%s: Cache-Control = %q, want immutable", script[1], got)
		}
	}
}

func TestScriptIsTheSameInBothEncodings(t *testing.T) {
	t.Parallel()
	plain := get(t, "/docs/assets/scalar.js")
	packed := get(t, "/docs/assets/scalar.js", "Accept-Encoding", "br, gzip")
	if got := packed.Header().Get("Content-Encoding"); got != "gzip" {
		t.Fatalf("Content-Encoding = %q, want gzip", got)
	}
	reader, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(plain.Body.Bytes(), unpacked) || len(unpacked) < 1<<20 {
		t.Errorf("plain has %d bytes, unpacked %d; want the same megabytes", plain.Body.Len(), len(unpacked))
	}
	if plain.Header().Get("Content-Encoding") != "" || plain.Header().Get("ETag") == packed.Header().Get("ETag") {
		t.Errorf("plain answer: %v, packed answer: %v; want no encoding and another ETag", plain.Header(), packed.Header())
	}
}

func TestRevalidation(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/docs", "/docs/assets/start.js", "/docs/assets/scalar.js"} {
		first := get(t, path)
		if got := first.Header().Get("Cache-Control"); got != "no-cache" {
			t.Errorf("%s: Cache-Control = %q, want no-cache", path, got)
		}
		second := get(t, path, "If-None-Match", first.Header().Get("ETag"))
		if second.Code != http.StatusNotModified || second.Body.Len() != 0 {
			t.Errorf("%s again = %d with %d bytes, want 304 and none", path, second.Code, second.Body.Len())
		}
	}
}

func TestOtherPathsAndMethods(t *testing.T) {
	t.Parallel()
	handler, err := Handler("/openapi.json", "Reference", "")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, call := range []string{"GET /docs/assets/page.html", "GET /docs/assets/", "GET /other", "POST /docs", "HEAD /docs"} {
		method, path, _ := strings.Cut(call, " ")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		got[call] = w.Code
	}
	want := map[string]int{
		"GET /docs/assets/page.html": 404, "GET /docs/assets/": 404, "GET /other": 404, "POST /docs": 405, "HEAD /docs": 200,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

func TestAcceptsGzip(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		headers []string
		want    bool
	}{
		{"no header", nil, false},
		{"by name", []string{"gzip, deflate, br"}, true},
		{"in the second header", []string{"br", "GZIP;q=0.5"}, true},
		{"refused", []string{"gzip;q=0, *"}, false},
		{"refused with decimals", []string{"*, gzip; q=0.000"}, false},
		{"any", []string{"*"}, true},
		{"none", []string{"*;q=0"}, false},
		{"identity", []string{"identity"}, false},
		{"broken weight", []string{"gzip;q=x"}, false},
		{"another coding that ends alike", []string{"notgzip"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := acceptsGzip(tt.headers); got != tt.want {
				t.Errorf("acceptsGzip(%q) = %v, want %v", tt.headers, got, tt.want)
			}
		})
	}
}
