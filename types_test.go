package assess_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"assess/pkg/kernel/scoring"
)

// makers make questions of certain types, or are the table; nobody else may name a type. Content has a mark of the name of one.
var makers = []string{"pkg/kernel/scoring/", "pkg/kernel/content/", "pkg/author/exchange/", "pkg/dev/", "pkg/surface/demo/", "bench/"}

// TestNobodyNamesAQuestionType finds code that checks for a type by its name. It would forget the
// next type: read the property that is meant from the row of the type in scoring.Types.
func TestNobodyNamesAQuestionType(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`["'](` + strings.Join(scoring.QTypes(), "|") + `)["']|(?:^|[^.\w])scoring\.(MCQ|MRQ|ShortText|Numeric|Essay|Order|Match|Gap)\b`)
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if path != "." && strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		case strings.HasSuffix(path, "_test.go") || !strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, ".sql"):
			return nil
		}
		for _, maker := range makers {
			if strings.HasPrefix(path, maker) {
				return nil
			}
		}
		text, err := os.ReadFile(path)
		for n, line := range strings.Split(string(text), "\n") {
			if found := named.FindString(line); found != "" && !strings.Contains(line, "SQL type") {
				t.Errorf("%s:%d names the question type %s", path, n+1, found)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEveryTypeHasItsControlAndItsRow: the candidate's page has a control for each type, and the page for authors says what it is made of.
func TestEveryTypeHasItsControlAndItsRow(t *testing.T) {
	t.Parallel()
	page, docs := read(t, "examples/candidate/question.js"), read(t, "docs/authoring.md")
	for _, name := range scoring.QTypes() {
		if !strings.Contains(page, "\n  "+name+": { control:") {
			t.Errorf("examples/candidate/question.js has no control for %s", name)
		}
		if !strings.Contains(docs, "\n| `"+name+"` |") {
			t.Errorf("docs/authoring.md has no row for %s", name)
		}
	}
}
