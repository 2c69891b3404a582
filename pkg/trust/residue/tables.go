package residue

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/trust/datamap"
)

//go:embed tables.sql
var tablesSQL string

// textTypes are the types that can hold text or bytes; the types in castTypes are read as text,
// because their binary form puts lengths between the words.
var (
	textTypes = []string{"text", "varchar", "bpchar", "name", "citext", "json", "jsonb", "bytea", "xml", "tsvector", "hstore"}
	castTypes = []string{"xml", "tsvector", "hstore", "citext"}
)

// table is a table as it can be read. The first is users: from it the search learns who else an
// identifier names.
type table struct {
	schema, name string
	// owned says that rows belong to a tenant.
	owned   bool
	columns []string
	casts   []string
	// hidden are columns that the role of the service must not read.
	hidden         []string
	keys, keyTypes []string
}

func tablesOf(ctx context.Context, tx *db.Tx) ([]table, error) {
	rows, err := tx.Query(ctx, tablesSQL, textTypes, castTypes)
	if err != nil {
		return nil, fmt.Errorf("list the tables to search: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (table, error) {
		var t table
		return t, row.Scan(&t.schema, &t.name, &t.owned, &t.columns, &t.casts, &t.hidden, &t.keys, &t.keyTypes)
	})
	if err != nil {
		return nil, fmt.Errorf("list the tables to search: %w", err)
	}
	for i := range all {
		// Without the whole key there is no order to go on in.
		if len(all[i].keys) == 0 || len(all[i].columns) == 0 {
			all[i].keys, all[i].keyTypes = nil, nil
		}
	}
	return all, nil
}

// String is the name of the table in a report.
func (t table) String() string {
	if t.schema == "public" {
		return t.name
	}
	return t.schema + "." + t.name
}

// tenantRows is the condition that PostgreSQL can start from; the policy says the same.
const tenantRows = "t.tenant_id = $1::uuid"

// statement reads a page of rows after a key, in its order: whether the row is about the subject, its
// key as text, and then the columns. Parameters: tenant, subject, and the parts of the key that are not fixed.
func (t table) statement(after bool, limit int) string {
	about := "false"
	entry, known := datamap.Find(t.name)
	if known && t.schema == "public" && entry.Subject != "" {
		about = "coalesce((" + entry.Subject + "), false)"
	}
	out := []string{about}
	keys := quoted(t.keys)
	for _, key := range keys {
		out = append(out, key+"::text")
	}
	for i, column := range quoted(t.columns) {
		out = append(out, column+t.casts[i])
	}
	// Both are used, whatever the table is, so that each statement takes the same parameters.
	where := "$1::uuid is not null and ($2::uuid is not null or true)"
	if t.owned {
		where += " and " + tenantRows
	}
	if after {
		where += " and (" + strings.Join(keys[t.fixed():], ", ") + ") > (" + strings.Join(t.parameters(3), ", ") + ")"
	}
	sql := "select " + strings.Join(out, ", ") + " from " + pgx.Identifier{t.schema, t.name}.Sanitize() + " t where " + where
	if len(keys) > 0 {
		sql += " order by " + strings.Join(keys, ", ") + fmt.Sprintf(" limit %d", limit)
	}
	return sql
}

// fixed is how many parts of the key are the same in all rows that are read. They stay out of the comparison
// with the key before: with a separate condition on the tenant, next to a comparison that begins with the
// tenant, PostgreSQL starts each page at the first row of the tenant.
func (t table) fixed() int {
	if t.owned && len(t.keys) > 1 && t.keys[0] == "tenant_id" {
		return 1
	}
	return 0
}

func (t table) parameters(from int) []string {
	var all []string
	for i, kind := range t.keyTypes[t.fixed():] {
		all = append(all, fmt.Sprintf("$%d::text::%s", from+i, kind))
	}
	return all
}

func quoted(names []string) []string {
	var all []string
	for _, name := range names {
		all = append(all, "t."+pgx.Identifier{name}.Sanitize())
	}
	return all
}
