package app_test

import (
	"net/http"
	"testing"

	"assess/pkg/dev/apptest"
)

// HEAD is GET without a body, and the description is fetched again only when it has changed.
func TestHeadAnswersAsGet(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t)
	ask := func(method, path, etag string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, app.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if etag != "" {
			r.Header.Set("If-None-Match", etag)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		return answer
	}
	for _, path := range []string{"/", "/healthz", "/readyz", "/docs", "/openapi.json", "/openapi.yaml", "/api/v1/questions", "/nowhere"} {
		get, head := ask(http.MethodGet, path, ""), ask(http.MethodHead, path, "")
		if get.StatusCode != head.StatusCode || get.Header.Get("Content-Type") != head.Header.Get("Content-Type") {
			t.Errorf("%s: GET %d %s, HEAD %d %s", path, get.StatusCode, get.Header.Get("Content-Type"), head.StatusCode, head.Header.Get("Content-Type"))
		}
	}
	if got := ask(http.MethodHead, "/api/v1/auth/verify?token=x", "").StatusCode; got != http.StatusMethodNotAllowed {
		t.Errorf("HEAD of a link in a mail: %d", got)
	}
	for _, path := range []string{"/openapi.json", "/openapi.yaml"} {
		etag := ask(http.MethodGet, path, "").Header.Get("ETag")
		if got := ask(http.MethodGet, path, etag).StatusCode; etag == "" || got != http.StatusNotModified {
			t.Errorf("%s with its ETag %s: %d", path, etag, got)
		}
	}
}
