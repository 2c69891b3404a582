package browser_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"assess/pkg/dev/browser"
)

// recorder is a test that may fail without failing the real one.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { r.said += fmt.Sprintf(format, args...) }

func page(t *testing.T, html string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, `<!doctype html><html lang="en"><head><title>A page</title><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"></head><body>%s</body></html>`, html)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestAPageIsDriven(t *testing.T) {
	t.Parallel()
	p := browser.Open(t, browser.Look{Width: 390, Dark: true})
	p.Visit(page(t, `<main><h1>Hello</h1><label>Name <input id="name"></label><button>Greet</button><p id="said"></p></main>
		<script>document.querySelector("button").onclick = () => { history.replaceState(null, "", "/greeted#x"); document.querySelector("#said").textContent = "Hello, " + document.querySelector("#name").value }</script>`))
	p.Fill("#name", "Ada")
	p.Click("button")
	p.See("Hello, Ada")
	p.Accessible()
	p.Fits()
	look := browser.Read[[]bool](p, `[innerWidth === 390, matchMedia("(prefers-color-scheme: dark)").matches]`)
	if !look[0] || !look[1] {
		t.Errorf("width and dark: %v", look)
	}
	if kept := p.History(); !strings.HasSuffix(kept[len(kept)-1], "/greeted#x") {
		t.Errorf("history %v", kept)
	}
	if asked := p.Requests(); len(asked) != 1 || !strings.HasPrefix(asked[0].URL, "http://127.0.0.1") {
		t.Errorf("requests %v", asked)
	}
}

// A fault of a page fails its test: here a test that only takes note.
func TestWhatIsWrongIsSaid(t *testing.T) {
	t.Parallel()
	r := &recorder{TB: t}
	t.Run("page", func(t *testing.T) {
		r.TB = t
		p := browser.Open(r, browser.Look{Width: 390})
		p.Expect("expected")
		p.Visit(page(t, `<main><h1>Hello</h1><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><p style="color:#ccc;width:900px">pale</p>
			<p style="width:3rem;overflow:hidden;white-space:nowrap">What nobody sees</p><div inert><div tabindex="0" style="width:3rem;overflow:auto;white-space:nowrap">What nobody reaches</div></div></main>
			<script>console.error("expected"); console.error("unheard of"); throw new Error("thrown")</script>`))
		p.See("pale")
		p.Usable()
	})
	for _, want := range []string{"at 1280 pixels, dark: Images", "image-alt", "color-contrast", "pixels wide", "is cut off", "does not reach what scrolls", "unheard of", "thrown"} {
		if !strings.Contains(r.said, want) {
			t.Errorf("nobody said %s:\n%s", want, r.said)
		}
	}
	if strings.Contains(r.said, "says: expected") {
		t.Errorf("what was expected was said:\n%s", r.said)
	}
}
