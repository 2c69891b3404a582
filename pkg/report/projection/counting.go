package projection

import "strings"

// counting says how rows of reporting tables become cells. Parts are taken of the rows, and
// the cells of all tables are made of the parts.
type counting struct {
	what  string
	parts []part
	cells []cells
}

type part struct{ name, sql string }

// cells are the rows of one table: sql gives the columns for a tenant. Where a cell of the same
// key is there already, sums adds to it; shared cells are those that another counting may have
// made.
type cells struct {
	table, columns, sql, key, sums string
	shared                         bool
}

func (c cells) insert(merged bool) string {
	into := "insert into " + c.table + " as d (tenant_id, " + c.columns + ")\n" + c.sql
	if merged {
		into += "\non conflict (tenant_id, " + c.key + ") do update set " + c.sums
	}
	return into
}

// merge adds to the cells that are there, in the one statement of a batch: $2 are its subjects,
// $3 is the sign.
func (c counting) merge() []statement {
	return c.statement(func(cells) bool { return true })
}

// anew fills the empty tables of a rebuild with all of a tenant.
func (c counting) anew() []statement {
	return c.statement(func(of cells) bool { return of.shared })
}

func (c counting) statement(merged func(cells) bool) []statement {
	var steps []string
	for _, p := range c.parts {
		steps = append(steps, p.name+" as materialized ("+p.sql+"\n)")
	}
	last := len(c.cells) - 1
	for _, into := range c.cells[:last] {
		steps = append(steps, "into_"+into.table+" as ("+into.insert(merged(into))+"\n)")
	}
	return []statement{{c.what, "with " + strings.Join(steps, ", ") + "\n" + c.cells[last].insert(merged(c.cells[last]))}}
}

// extent is what is counted: the subjects in $2, with the sign in $3, or all of a tenant.
type extent bool

const (
	chosen extent = false
	whole  extent = true
)

func (e extent) of(id string) string {
	if e == whole {
		return ""
	}
	return " and " + id + " = any($2)"
}

func (e extent) sign() string {
	if e == whole {
		return ""
	}
	return "$3::int * "
}

// adding gives what adds each measure to the one that is there.
func adding(measures []SummaryMeasure) string {
	return joined(measures, "%[1]s = d.%[1]s + excluded.%[1]s")
}

// summed gives the sums of measures of a part. How many attempts a row of it has fits an integer,
// and to add integers takes PostgreSQL a fraction of the memory and the time of anything wider.
func summed(e extent, of string, measures []SummaryMeasure) string {
	var all []string
	for _, m := range measures {
		value := of + m.Name
		if strings.HasSuffix(m.Name, "_n") {
			value += "::int"
		}
		all = append(all, e.sign()+"sum("+value+") as "+m.Name)
	}
	return strings.Join(all, ", ")
}
