package datamap_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/golden"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/datamap"
)

func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dbtest.Clone(t).Super)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.WithoutCancel(t.Context())) }) //nolint:errcheck // only read from
	return conn
}

// catalogue gives the columns of every table of ours, except the tenant, with their types.
func catalogue(t *testing.T, conn *pgx.Conn) map[string]map[string]string {
	t.Helper()
	rows, err := conn.Query(t.Context(), `select c.relname::text, a.attname::text, format_type(a.atttypid, null)
		from pg_class c join pg_attribute a on a.attrelid = c.oid
		where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped`)
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]map[string]string{}
	var table, column, kind string
	_, err = pgx.ForEachRow(rows, []any{&table, &column, &kind}, func() error {
		if tables[table] == nil {
			tables[table] = map[string]string{}
		}
		tables[table][column] = kind
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// A column that is added anywhere fails here until the map says what it holds.
func TestEveryColumnIsClassified(t *testing.T) {
	t.Parallel()
	tables := catalogue(t, connect(t))
	for name, columns := range tables {
		table, ok := datamap.Find(name)
		if !ok {
			t.Errorf("table %s is not in the data map", name)
			continue
		}
		_, owned := columns["tenant_id"]
		if shared := table.Shared != ""; shared == owned && name != "tenants" {
			t.Errorf("table %s: shared is %v, and it has a tenant: %v", name, shared, owned)
		}
		for column := range columns {
			if _, ok := table.Find(column); !ok && column != "tenant_id" {
				t.Errorf("column %s.%s is not in the data map", name, column)
			}
		}
	}
	for i, table := range datamap.Tables {
		columns := tables[table.Name]
		if columns == nil {
			t.Errorf("there is no table %s", table.Name)
		}
		if slices.ContainsFunc(datamap.Tables[:i], func(other datamap.Table) bool { return other.Name == table.Name }) {
			t.Errorf("table %s stands twice", table.Name)
		}
		for j, column := range table.Columns {
			if columns[column.Name] == "" {
				t.Errorf("there is no column %s.%s", table.Name, column.Name)
			}
			if slices.ContainsFunc(table.Columns[:j], func(other datamap.Column) bool { return other.Name == column.Name }) {
				t.Errorf("column %s.%s stands twice", table.Name, column.Name)
			}
		}
	}
}

// The row of a table must follow from its columns.
func TestTheMapAgreesWithItself(t *testing.T) {
	t.Parallel()
	for _, table := range datamap.Tables {
		redacts := len(table.Redacted()) > 0
		if (table.Row == datamap.Redact) != redacts {
			t.Errorf("%s: rows are to %s, and columns to erase: %v", table.Name, table.Row, redacts)
		}
		if table.Row != datamap.Keep && table.Subject == "" {
			t.Errorf("%s: nothing says whose rows are to %s", table.Name, table.Row)
		}
		if table.Holds == "" || table.Domain == "" || table.Row == "" {
			t.Errorf("%s: the entry is not whole", table.Name)
		}
		for _, c := range table.Columns {
			personal := c.Class == datamap.Identifier || c.Class == datamap.FreeText
			if table.Subject != "" && table.Row != datamap.Delete && personal && c.Erased == "" && c.Stays == "" {
				t.Errorf("%s.%s stays when the person is forgotten, although it is %s", table.Name, c.Name, c.Class)
			}
			if c.Class == datamap.Secret && !c.Hidden {
				t.Errorf("%s.%s is secret and would be exported", table.Name, c.Name)
			}
		}
	}
}

// The conditions and expressions of the map are SQL that the database takes, also for nobody.
func TestTheConditionsAreSQL(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	for _, table := range datamap.Tables {
		if table.Traces != "" && !table.InExport() {
			t.Errorf("%s: exports leave out what none holds", table.Name)
		}
		for _, condition := range []string{table.Subject, table.Author, table.Named, own(table), traces(table)} {
			if condition == "" {
				continue
			}
			statement := fmt.Sprintf("select count(*) from %s t where %s", table.Name, condition)
			var n int
			if err := conn.QueryRow(t.Context(), statement, ids.New(), ids.New()).Scan(&n); err != nil || n != 0 {
				t.Errorf("%s: %d rows of nobody, %v", statement, n, err)
			}
		}
		var set []string
		for _, c := range table.Redacted() {
			set = append(set, c.Name+" = "+c.Erased)
		}
		if len(set) > 0 {
			statement := fmt.Sprintf("update %s t set %s where %s", table.Name, strings.Join(set, ", "), table.Subject)
			if _, err := conn.Exec(t.Context(), statement, ids.New(), ids.New()); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
	}
}

func TestTheDocumentIsUpToDate(t *testing.T) {
	t.Parallel()
	page := datamap.Document()
	for _, table := range datamap.Tables {
		if !strings.Contains(page, "| `"+table.Name+"` |") {
			t.Errorf("%s is in no domain of the page", table.Name)
		}
	}
	golden.Check(t, []byte(page), filepath.Join("..", "..", "..", "docs", "data-map.md"))
}

func own(t datamap.Table) string {
	if t.Own == "" {
		return ""
	}
	return t.Subject + " and " + t.Own
}

// traces gives the condition on rows that exports leave behind, about the person as the others are.
func traces(t datamap.Table) string {
	if t.Traces == "" {
		return ""
	}
	return t.Subject + " and " + t.Traces
}
