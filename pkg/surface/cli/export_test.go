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

// The name of the file of results says its content, and the users are exported as they were imported.
func TestFilesOfPeople(t *testing.T) {
	t.Parallel()
	d := examDesk(t)
	folder := t.TempDir()
	for name, begins := range map[string]string{"results.xlsx": "PK", "results.csv": "\ufeffsubmissionId,userId,name,email"} {
		d.must("submission export --evaluation geo-1 --file " + filepath.Join(folder, name) + north)
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !strings.HasPrefix(string(got), begins) {
			t.Errorf("%s begins with %.30q, %v", name, got, err)
		}
	}
	people := filepath.Join(folder, "people.csv")
	d.must("export users --file " + people + north)
	if got := d.must("import users commit " + people + " -o json" + north); !strings.Contains(got, `"changed": 0`) || !strings.Contains(got, `"created": 0`) {
		t.Errorf("imported again: %s", got)
	}
	log := filepath.Join(folder, "log.ndjson")
	d.must("ledger sequence" + north)
	d.must("ledger export --file " + log + north)
	taken, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for event, n := range map[string]int{"results.exported": 2, "users.exported": 1} {
		if strings.Count(string(taken), `"`+event+`"`) != n {
			t.Errorf("the ledger does not have %s %d times", event, n)
		}
	}
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
