package dsar

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/datamap"
)

// source is a table whose rows an export holds.
type source struct {
	table, domain, holds string
	// rows are the ways in which a row belongs to the person: conditions on a row (alias t), with the
	// tenant as $1 and the person as $2. A row that fits several comes once.
	rows []string
	// traces is a condition on rows that exports left behind.
	traces  string
	columns []column
}

// column is a column that the export holds.
type column struct {
	name string
	// names says that it holds a person: an actor, a user, or a list of them.
	names bool
	// sql is the value in terms of a row t; empty for the column itself.
	sql string
}

// unitName is what an org unit is called: people know it by nothing else.
var unitName = column{name: "org_unit", sql: "(select o.name from org_units o where o.tenant_id = $1 and o.id = t.org_unit_id)"}

// namesOf are other things that people know by a name, by the column that has their id: the file has both, and the page only the name.
var namesOf = map[string]column{
	"org_unit_id":   unitName,
	"group_id":      {name: "group_name", sql: "(select o.name from groups o where o.tenant_id = $1 and o.id = t.group_id)"},
	"role_id":       {name: "role_name", sql: "(select o.name from roles o where o.tenant_id = $1 and o.id = t.role_id)"},
	"evaluation_id": {name: "evaluation_title", sql: "(select o.title from evaluations o where o.tenant_id = $1 and o.id = t.evaluation_id)"},
	"skill_id": {name: "skill_name", sql: `(select v.name from skills o join skill_versions v on v.tenant_id = $1 and v.id = o.current_version_id
		where o.tenant_id = $1 and o.id = t.skill_id)`},
	"submission_id": {name: "exam_title", sql: `(select v.title from submissions o join evaluation_versions v on v.tenant_id = $1 and v.id = o.evaluation_version_id
		where o.tenant_id = $1 and o.id = t.submission_id)`},
}

// sources are the tables of the data map whose rows an export holds: rows about persons, or written by them.
var sources = func() []source {
	var all []source
	for _, t := range datamap.Tables {
		if !t.InExport() {
			continue
		}
		s := source{table: t.Name, domain: t.Domain, holds: t.Holds, traces: cmp.Or(t.Traces, "false")}
		for _, condition := range []string{t.Subject, t.Author, t.Named} {
			if condition != "" {
				s.rows = append(s.rows, condition)
			}
		}
		for _, c := range t.Exported() {
			s.columns = append(s.columns, column{name: c.Name, names: c.Class == datamap.Pseudonym})
			if named, has := namesOf[c.Name]; has {
				s.columns = append(s.columns, named)
			}
		}
		all = append(all, s)
	}
	return all
}()

// shape is what the catalogue knows of a table: the types of its columns and its primary key.
type shape struct {
	types map[string]string
	key   []string
}

const shapesSQL = `
select c.relname, array_agg(a.attname order by a.attnum), array_agg(format_type(a.atttypid, null) order by a.attnum),
	(select array_agg(k.attname order by o.n) from pg_index i, unnest(i.indkey) with ordinality o (attnum, n), pg_attribute k
		where i.indrelid = c.oid and i.indisprimary and k.attrelid = c.oid and k.attnum = o.attnum)
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = 'public'::regnamespace and c.relname = any($1)
group by c.oid, c.relname`

// shapesOf looks the tables of the sources up.
func shapesOf(ctx context.Context, tx *db.Tx, sources []source) (map[string]shape, error) {
	var tables []string
	for _, s := range sources {
		tables = append(tables, s.table)
	}
	rows, err := tx.Query(ctx, shapesSQL, tables)
	if err != nil {
		return nil, fmt.Errorf("look up the tables of the export: %w", err)
	}
	shapes := map[string]shape{}
	var table string
	var names, types, key []string
	_, err = pgx.ForEachRow(rows, []any{&table, &names, &types, &key}, func() error {
		s := shape{types: map[string]string{}, key: slices.Clone(key)}
		for i, name := range names {
			s.types[name] = types[i]
		}
		shapes[table] = s
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look up the tables of the export: %w", err)
	}
	return shapes, nil
}

// sql gives the statement that reads the rows in the order of their keys. Every value comes as
// JSON, written in one way whatever the settings of the database are.
func (s source) sql(of shape) string {
	var values, order []string
	for _, c := range s.columns {
		values = append(values, asJSON(cmp.Or(c.sql, "t."+c.name), of.types[c.name]))
	}
	for _, k := range of.key {
		collate := ""
		if of.types[k] == "text" {
			collate = ` collate "C"`
		}
		order = append(order, "t."+k+collate)
	}
	var rows []string
	for _, condition := range s.rows {
		rows = append(rows, "("+lookUp(s.table, condition)+")")
	}
	by := strings.Join(order, ", ")
	return "select distinct on (" + by + ") " + strings.Join(values, ", ") + " from (" + strings.Join(rows, " union all ") + ") t where not (" + s.traces + ") order by " + by
}

// through is a condition on rows that belong to something of the person: to their sessions, say.
var through = regexp.MustCompile(`(?s)^(.*) and t\.(\w+) in \((select .+)\)$`)

// lookUp finds the rows of a condition. Rows that belong to something of the person are looked up from
// that, row by row: in any other order PostgreSQL might read the rows of the whole tenant ("offset 0"
// leaves it no other, docs/queries.md).
func lookUp(table, condition string) string {
	parts := through.FindStringSubmatch(condition)
	if parts == nil {
		return "select * from " + table + " t where " + condition + " offset 0"
	}
	return "select t.* from (select distinct * from (" + parts[3] + ") o offset 0) o (id) cross join lateral (select * from " + table + " t where " +
		parts[1] + " and t." + parts[2] + " = o.id offset 0) t"
}

// timestamp is how the catalogue calls the type of moments.
const timestamp = "timestamp with time zone"

func asJSON(value, kind string) string {
	switch kind {
	case timestamp:
		value = "to_char(" + value + ` at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
	case "numeric": // the SQL type
		value = "trim_scale(" + value + ")"
	case "bytea":
		value = "encode(" + value + ", 'hex')"
	}
	return "to_jsonb(" + value + ")::text"
}

// each reads the rows of a source, one after the other.
func (s source) each(ctx context.Context, tx *db.Tx, of shape, subject ids.ID, do func(cells []json.RawMessage) error) error {
	rows, err := tx.Query(ctx, s.sql(of), tx.Tenant(), subject)
	if err != nil {
		return fmt.Errorf("read %s: %w", s.table, err)
	}
	defer rows.Close()
	texts := make([]*string, len(s.columns))
	into := make([]any, len(s.columns))
	for i := range texts {
		into[i] = &texts[i]
	}
	cells := make([]json.RawMessage, len(s.columns))
	for rows.Next() {
		err := rows.Scan(into...)
		if err == nil {
			err = s.fill(cells, texts, subject)
		}
		if err == nil {
			err = do(cells)
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", s.table, err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read %s: %w", s.table, err)
	}
	return nil
}

// fill makes cells of the values that were read, without the names of others.
func (s source) fill(cells []json.RawMessage, texts []*string, subject ids.ID) error {
	for i, c := range s.columns {
		cells[i] = nil
		if texts[i] == nil {
			continue
		}
		cells[i] = json.RawMessage(*texts[i])
		if !c.names {
			continue
		}
		said, err := anonymous(cells[i], subject)
		if err != nil {
			return err
		}
		cells[i] = said
	}
	return nil
}
