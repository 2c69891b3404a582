package reporting_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
)

// A name of the database is in small letters with an underscore in it, or has a table before it.
var sourceName = regexp.MustCompile(`[A-Za-z0-9_]*\.?[A-Za-z0-9_]+`)

// Every table and column that the pages name as the source of a figure exists. Columns that follow
// "table.column" are of the same table; a page about one table need not name it.
func TestEverySourceExists(t *testing.T) {
	t.Parallel()
	columns := schema(t)
	for _, page := range []struct {
		file, table string
		least       int
	}{{"reporting.md", "", 120}, {"question-health.md", "report_question_health_rollup", 25}} {
		found := 0
		for _, cell := range sourceCells(t, page.file) {
			if strings.HasPrefix(strings.TrimSpace(cell), "as ") {
				continue // of another field
			}
			table := page.table
			for _, name := range sourceName.FindAllString(cell, -1) {
				of, column, dotted := strings.Cut(name, ".")
				switch {
				case strings.ToLower(name) != name || !dotted && !strings.Contains(name, "_"):
					continue
				case columns[name] != nil:
					table = name
				case dotted && of != "":
					table = of
				default:
					column = strings.TrimPrefix(name, ".")
				}
				found++
				if columns[name] == nil && !hasColumn(columns, table, column) {
					t.Errorf("docs/%s names %s as a source (%s), and there is none", page.file, name, strings.TrimSpace(cell))
				}
			}
		}
		if found < page.least {
			t.Errorf("docs/%s names %d sources, want %d at least: is the column still the last one?", page.file, found, page.least)
		}
	}
}

// hasColumn looks in all tables where none was named.
func hasColumn(columns map[string][]string, table, column string) bool {
	if table != "" {
		return slices.Contains(columns[table], column)
	}
	for _, all := range columns {
		if slices.Contains(all, column) {
			return true
		}
	}
	return false
}

func schema(t *testing.T) map[string][]string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dbtest.Clone(t).Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context()) //nolint:errcheck // the test is over
	rows, err := conn.Query(t.Context(), "select table_name::text, column_name::text from information_schema.columns where table_schema = 'public'")
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string][]string{}
	var table, column string
	_, err = pgx.ForEachRow(rows, []any{&table, &column}, func() error {
		columns[table] = append(columns[table], column)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return columns
}

// sourceCells gives the last cells of the tables that end with a column "source".
func sourceCells(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	within := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		cells := strings.Split(strings.Trim(line, "|"), "|")
		last := cells[len(cells)-1]
		switch {
		case !strings.HasPrefix(line, "|"):
			within = false
		case strings.TrimSpace(last) == "source":
			within = true
		case within:
			all = append(all, last)
		}
	}
	return all
}
