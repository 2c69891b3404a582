package readiness

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The decision table of docs/readiness.md is made from the rules.
func TestDocumentedTableIsTheRules(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| reason | entry | state | what it says |\n|---|---|---|---|\n")
	for _, r := range Rules {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", r.Code, r.Entry, r.State, r.Text)
	}
	const file = "../../../docs/readiness.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	place := regexp.MustCompile(`(?s)\| reason \| entry .*?\n\n`)
	if os.Getenv("GOLDEN") != "" {
		anew := place.ReplaceAllLiteral(page, []byte(table.String()+"\n"))
		if err := os.WriteFile(file, anew, 0o644); err != nil { //nolint:gosec // a page
			t.Fatal(err)
		}
		return
	}
	if got := place.FindString(string(page)); got != table.String()+"\n" {
		t.Errorf("docs/readiness.md has another table; GOLDEN=1 writes it anew:\n%s", got)
	}
}
