package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestImports(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	d.must("org create south --name 'South campus' --tenant northwind")
	d.say(
		"import users preview testdata/import/users.csv --tenant northwind",
		"import users preview testdata/import/users.csv --tenant northwind -o json",
		"import users preview testdata/import/users_bad.csv --tenant northwind",
		"import users commit testdata/import/users_bad.csv --tenant northwind",
		"import users commit testdata/import/users_bad.csv --tenant northwind -o json",
		"import users commit testdata/import/users_bad.csv --tenant northwind --skip-invalid",
		"import users commit testdata/import/users.csv --tenant northwind --org north",
		"import users commit testdata/import/users.csv --tenant northwind --org north -o json",
		"import questions preview testdata/import/questions_bad.csv --tenant northwind --org north",
		"import questions commit testdata/import/questions.csv --tenant northwind --org north",
		"import questions commit testdata/import/questions.csv --tenant northwind --org north --create-terms",
		"import questions commit testdata/import/questions.csv --tenant northwind --org north --create-terms",
		"locale set de --tenant northwind",
		"import questions preview testdata/import/questions.csv --tenant northwind --org south --create-terms",
		"import questions commit testdata/import/questions.csv --tenant northwind --org south --create-terms",
		"import questions commit testdata/import/questions.csv --tenant northwind --org south --create-terms -o json",
		"locale set --tenant northwind",
		"import questions commit testdata/import/questions.csv --tenant northwind",
		"import evaluations commit testdata/import/evaluations.csv --tenant northwind --org north",
		"import evaluations commit testdata/import/evaluations.csv --tenant northwind --org north",
		"import evaluations commit nowhere.csv --tenant northwind --org north",
	)
	d.check("import.txt")
}

// A question bank of another system comes in as a table does.
func TestABankIsImported(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	d.must("org create north --name 'North campus' --tenant northwind")
	d.say(
		"import questions preview testdata/import/moodle.xml --tenant northwind --org north --create-terms",
		"import questions commit testdata/import/moodle.xml --tenant northwind --org north --create-terms",
		"import questions commit testdata/import/moodle.xml --tenant northwind --org north --create-terms --accept-scoring-changes --dry-run",
		"media list --tenant northwind --org north",
		"import questions commit testdata/import/moodle.xml --tenant northwind --org north --create-terms --accept-scoring-changes",
		"import questions commit testdata/import/moodle.xml --tenant northwind --org north --create-terms --accept-scoring-changes --format moodle_xml",
		"import questions preview testdata/import/moodle.xml --tenant northwind --org north --format aiken",
		"taxonomy tree --tenant northwind",
		"export questions --format moodle_xml --tenant northwind --org north",
		"export questions --format gift --preview --tenant northwind --org north",
		"export questions --format gift --tenant northwind --org north",
	)
	d.check("import_bank.txt")
}

func TestImportFromStandardInput(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("tenant create northwind --name 'Northwind College'")
	data, err := os.ReadFile("testdata/import/users.csv")
	if err != nil {
		t.Fatal(err)
	}
	c := &call{}
	c.exit = Main([]string{"import", "users", "commit", "-", "--tenant", "northwind", "--config", d.settings},
		bytes.NewReader(data), &c.out, &c.err)
	if c.exit != exitDone || !strings.Contains(c.out.String(), "2 created") {
		t.Errorf("exit %d, stdout %q, stderr %q", c.exit, &c.out, &c.err)
	}
}
