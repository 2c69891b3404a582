package cli

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"assess/pkg/dev/browser"
)

func TestThePageAfterASignInIsForEverybody(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(signedInPage))
	}))
	t.Cleanup(s.Close)
	b := browser.Open(t, browser.Look{})
	b.Visit(s.URL)
	b.See("You can close this page")
	b.Usable()
}
