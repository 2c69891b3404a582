package readiness

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"assess/pkg/dev/golden"
)

// The decision table of docs/readiness.md is made from the rules.
func TestDocumentedTableIsTheRules(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| reason | entry | state | what it says |\n|---|---|---|---|\n")
	for _, r := range Rules {
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", r.Code, r.Entry, r.State, r.Text)
	}
	golden.Part(t, table.String(), filepath.Join("..", "..", "..", "docs", "readiness.md"))
}
