package sample

import (
	"cmp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/ids"
	"assess/pkg/trust/datamap"
)

// Columns gives the columns of a table that can be written, and the type of each.
func Columns(t testing.TB, super *pgx.Conn, table string) map[string]string {
	t.Helper()
	rows, err := super.Query(t.Context(), `select attname::text, format_type(atttypid, null) from pg_attribute
		where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`, table)
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string]string{}
	var name, kind string
	_, err = pgx.ForEachRow(rows, []any{&name, &kind}, func() error {
		columns[name] = kind
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return columns
}

// DropChecks takes the checks of all tables away, for rows that are made up column by column.
func DropChecks(t testing.TB, super *pgx.Conn) {
	t.Helper()
	_, err := super.Exec(t.Context(), `do $$ declare c record; begin
		-- A cluster changes one shard after the other then, as it must where tables refer to each other.
		perform set_config('citus.multi_shard_modify_mode', 'sequential', true);
		for c in select conrelid::regclass as tbl, conname from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace loop
			execute format('alter table %s drop constraint if exists %I', c.tbl, c.conname);
		end loop;
	end $$`)
	if err != nil {
		t.Fatal(err)
	}
}

// Crowd makes n rows of each one that a table has of a person: each about somebody else, and by somebody
// else. The connection writes past triggers (dbtest.Heap), and there are no checks (DropChecks).
func Crowd(t testing.TB, super *pgx.Conn, tenant, person ids.ID, table datamap.Table, n int) {
	t.Helper()
	var names, values []string
	for column, kind := range Columns(t, super, table.Name) {
		c, _ := table.Find(column)
		value := "t." + column
		switch {
		case column == "tenant_id", column == "org_unit_id":
		case kind == "uuid":
			value = "gen_random_uuid()"
		case kind == "text" && c.Class == datamap.Pseudonym:
			value = "'user:' || gen_random_uuid()"
		case kind == "text":
			value += " || made"
		case kind == "bytea":
			value = "sha256(made::text::bytea)"
		case kind == "integer", kind == "bigint":
			value += " + made"
		}
		names, values = append(names, column), append(values, value)
	}
	_, err := super.Exec(t.Context(), "insert into "+table.Name+" ("+strings.Join(names, ", ")+") select "+strings.Join(values, ", ")+
		" from (select * from "+table.Name+" t where "+strings.ReplaceAll(cmp.Or(table.Subject, table.Author), "$2::uuid", "$2")+") t, generate_series(1, $3::int) made",
		tenant, person, n)
	if err != nil {
		t.Fatalf("%s: %v", table.Name, err)
	}
}
