package page

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"testing"

	"assess/pkg/dev/browser"
)

// smallestWord is how many pixels high the words of a chart are at least.
const smallestWord = 11

// Every page can be used with a keyboard, a telephone, and eyes that need contrast: axe finds nothing, no
// page is wider than its window, words in charts can be read, and whatever scrolls takes the focus.
func TestPagesAreAccessible(t *testing.T) {
	t.Parallel()
	pages := samples()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, there := pages[path.Base(r.URL.Path)]
		if !there {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", ContentPolicy())
		err := Write(w, p)
		if err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	for _, look := range []browser.Look{{Width: 390}, {Width: 390, Dark: true}, {Width: 1280}, {Width: 1280, Dark: true}} {
		t.Run(fmt.Sprintf("%d pixels, dark %t", look.Width, look.Dark), func(t *testing.T) {
			t.Parallel()
			b := browser.Open(t, look)
			for _, name := range slices.Sorted(maps.Keys(pages)) {
				b.Visit(s.URL + "/" + name)
				b.Has("h1")
				b.Accessible()
				b.Fits()
				b.Picture(fmt.Sprintf("%s_%d_%t", name, look.Width, look.Dark))
				if cut := browser.Read[int](b, `[...document.querySelectorAll(".scroll")].filter(e => e.scrollWidth > e.clientWidth + 1).length`); look.Width == 390 && cut > 0 {
					t.Errorf("%s: %d tables are wider than a telephone", name, cut)
				}
				small := browser.Read[[]string](b, fmt.Sprintf(`[...document.querySelectorAll("svg text")].filter(e => {
					const svg = e.ownerSVGElement
					return parseFloat(getComputedStyle(e).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width < %d
				}).map(e => e.textContent)`, smallestWord))
				if len(small) > 0 {
					t.Errorf("%s: these words of charts are too small: %q", name, small)
				}
				deaf := browser.Read[int](b, `[...document.querySelectorAll("*")].filter(e => e.scrollWidth > e.clientWidth
					&& ["auto", "scroll"].includes(getComputedStyle(e).overflowX) && (e.focus(), document.activeElement !== e)).length`)
				if deaf > 0 {
					t.Errorf("%s: %d parts scroll, and the keyboard does not reach them", name, deaf)
				}
			}
		})
	}
}
