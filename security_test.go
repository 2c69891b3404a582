package assess_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every promise of docs/security.md names the tests that hold it. That these exist is tested for
// all documents.
func TestPromisesNameTheirTests(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	promises := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.Contains(line, "---") || strings.TrimSpace(cells[1]) == "promise" {
			continue
		}
		promises++
		if !strings.Contains(cells[2], "`Test") {
			t.Errorf("no test holds %q", strings.TrimSpace(cells[1]))
		}
	}
	if promises == 0 {
		t.Error("the page promises nothing")
	}
}
