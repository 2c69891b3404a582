package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExports(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	d.must("import questions commit testdata/import/questions.csv --create-terms --tenant northwind --org north")
	d.say(
		"export questions --tenant northwind --org north",
		"export questions --qtype essay --tenant northwind --org north",
		"export questions --status lost --tenant northwind --org north",
		"export questions --tenant northwind",
		"import passages preview testdata/import/passages.csv --tenant northwind --org north",
		"import passages commit testdata/import/passages.csv --tenant northwind --org north --dry-run",
		"import passages commit testdata/import/passages.csv --tenant northwind --org north",
		"import passages commit testdata/import/passages.csv --tenant northwind --org north",
		"export passages --tenant northwind --org north",
		"export evaluations --tenant northwind --org north",
		"export questions -f testdata/nowhere/q.csv --tenant northwind --org north",
	)
	d.check("export.txt")
}

func TestExportedFileIsImportedUnchanged(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create main --name 'Main' --tenant northwind")
	d.must("import questions commit testdata/import/questions.csv --create-terms --tenant northwind --org main")
	folder := t.TempDir()
	file := filepath.Join(folder, "questions.csv")
	d.must("export questions -f " + file + " --tenant northwind --org main")
	got := d.must("import questions commit " + file + " --tenant northwind --org main -o json")
	if want := `"changed": 0`; !strings.Contains(got, want) || !strings.Contains(got, `"created": 0`) {
		t.Errorf("imported again: %s", got)
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 {
		t.Errorf("%d files are left, want one: %v", len(left), err)
	}
}
