package datamap_test

import (
	"testing"

	"assess/pkg/trust/datamap"
)

// targetsSQL gives the columns of a table, and of its indexes what they compute of its columns, with whether ANALYZE
// keeps samples of them. A target is -1 by default, and null from PostgreSQL 17 on.
const targetsSQL = `
select a.attname, format('alter table %s alter column %s set statistics 0;', c.relname, a.attname), coalesce(a.attstattarget, -1) = 0
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.oid = $1::regclass
union all
select used.attname, format('alter index %s alter column %s set statistics 0;', i.relname, a.attnum), coalesce(a.attstattarget, -1) = 0
from pg_index x join pg_class i on i.oid = x.indexrelid
join pg_attribute a on a.attrelid = i.oid and x.indkey[a.attnum - 1] = 0
join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = i.oid and d.refclassid = 'pg_class'::regclass and d.refobjid = x.indrelid and d.refobjsubid > 0
join pg_attribute used on used.attrelid = x.indrelid and used.attnum = d.refobjsubid
where x.indrelid = $1::regclass`

// ANALYZE keeps the commonest values of a column in pg_statistic, where no job erases them: no column that forgetting erases
// has statistics, nor has an index that computes something of one.
func TestNoStatisticsOfWhatNamesPeople(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	for _, table := range datamap.Tables {
		rows, err := conn.Query(t.Context(), targetsSQL, table.Name)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var column, statement string
			var off bool
			if err := rows.Scan(&column, &statement, &off); err != nil {
				t.Fatal(err)
			}
			c, _ := table.Find(column)
			goes := table.Subject != "" && table.Row != datamap.Keep && c.Stays == ""
			if !off && goes && (c.Class == datamap.Identifier || c.Class == datamap.FreeText) {
				t.Errorf("%s.%s: a migration has to say %s", table.Name, column, statement)
			}
		}
		if rows.Err() != nil {
			t.Fatal(rows.Err())
		}
	}
}
