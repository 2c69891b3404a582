package assess_test

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// usable names, for each file that makes a page, the test that looks at its pages in a browser: on a telephone and on a desk, in the
// light and in the dark. The test has a table of them.
var usable = map[string]string{
	"examples/candidate/index.html":        "pkg/surface/app/candidate_test.go",
	"pkg/report/page/page.html":            "pkg/report/page/browser_test.go",
	"pkg/surface/cli/login.go":             "pkg/surface/cli/login_internal_test.go",
	"pkg/surface/httpapi/browsing.go":      "pkg/surface/httpapi/pages_internal_test.go",
	"pkg/surface/httpapi/deep_links.go":    "pkg/surface/httpapi/pages_internal_test.go",
	"pkg/surface/httpapi/glassbox_page.go": "pkg/surface/httpapi/pages_internal_test.go",
	"pkg/surface/httpapi/home.html":        "pkg/surface/httpapi/pages_internal_test.go",
	"pkg/surface/httpapi/lti.go":           "pkg/surface/httpapi/pages_internal_test.go",
	"pkg/surface/httpapi/picker.html":      "pkg/surface/httpapi/pages_internal_test.go",
	"pkg/surface/httpapi/privacy.html":     "pkg/surface/httpapi/pages_internal_test.go",
	"pkg/surface/httpapi/share.html":       "pkg/surface/httpapi/pages_internal_test.go",
	"pkg/surface/httpapi/terminal.go":      "pkg/surface/httpapi/pages_internal_test.go",
	"pkg/surface/httpapi/verify.go":        "pkg/surface/httpapi/pages_internal_test.go",
	"pkg/trust/dsar/page.html":             "pkg/trust/dsar/page_test.go",
}

// notOurs are pages that somebody else wrote: Scalar draws the documentation of the interface.
var notOurs = []string{"pkg/surface/httpapi/apidocs/assets/page.html"}

// Anyone who adds a page has it looked at in a browser.
func TestEachPageIsLookedAt(t *testing.T) {
	t.Parallel()
	found := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"bin", "dist", "testdata", "var"}, d.Name())) {
			return fs.SkipDir
		}
		if ext := filepath.Ext(path); ext != ".html" && ext != ".go" || strings.HasSuffix(path, "_test.go") || slices.Contains(notOurs, path) ||
			!strings.Contains(strings.ToLower(read(t, path)), "<!doctype html") {
			return nil
		}
		found++
		test := usable[path]
		if test == "" {
			t.Errorf("%s makes a page that no test looks at: put it into the table of one, and name that here", path)
		} else if !strings.Contains(read(t, test), ".Usable()") {
			t.Errorf("%s looks at no page (Usable)", test)
		}
		return nil
	})
	if err != nil || found != len(usable) {
		t.Errorf("%d files with pages, %d in the table: %v", found, len(usable), err)
	}
}
