package page

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assess/pkg/dev/browser"
)

// smallestWord is the least height of the words of a chart, in pixels.
const smallestWord = 11

// Every page can be used with a keyboard, on a phone, and by people who need contrast, and the words of its charts can be
// read.
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
	b := browser.Open(t, browser.Look{})
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		b.Visit(s.URL + "/" + name)
		b.Has("h1")
		b.Usable()
		for _, look := range browser.Looks {
			b.LookAt(look)
			b.Picture(fmt.Sprintf("%s_%d_%t", name, look.Width, look.Dark))
			small := browser.Read[[]string](b, fmt.Sprintf(`[...document.querySelectorAll("svg text")].filter(e => {
				const svg = e.ownerSVGElement
				return parseFloat(getComputedStyle(e).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width < %d
			}).map(e => e.textContent)`, smallestWord))
			if len(small) > 0 {
				t.Errorf("%s: these words of charts are too small at %s: %q", name, look, small)
			}
		}
	}
}

// Each page has a sample: the tests of this package run on the samples.
func TestEachPageHasASample(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	drawn, sampled := map[string]bool{}, map[string]bool{}
	for _, name := range names {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.IsExported() && n.Type.Results != nil && len(n.Type.Results.List) == 1 {
					result, ok := n.Type.Results.List[0].Type.(*ast.Ident)
					drawn[n.Name.Name] = ok && result.Name == "Page"
				}
			case *ast.CallExpr:
				if called, ok := n.Fun.(*ast.Ident); ok && strings.HasPrefix(name, "samples") {
					sampled[called.Name] = true
				}
			}
			return true
		})
	}
	pages := 0
	for name, page := range drawn {
		if !page {
			continue
		}
		pages++
		if !sampled[name] {
			t.Errorf("there is no sample of %s: give one in samples", name)
		}
	}
	if pages < 10 {
		t.Errorf("%d pages were found", pages)
	}
}
