package dsar

import (
	"cmp"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/trust/archive"
	"assess/pkg/trust/datamap"
)

// Among many attempts of others, an export reads the rows of its person alone: whatever PostgreSQL
// knows of the tables, and however it plans.
func TestRowsAreLookedUpFromThoseOfThePerson(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	person, _ := r.takes(3)
	for range 2 {
		other, _ := r.takes(3)
		multiply(t, r.urls, other, 2000)
	}
	super := dbtest.Heap(t, r.urls)
	_, err := super.Exec(t.Context(), dropChecksSQL)
	if err != nil {
		t.Fatal(err)
	}
	others := r.marked(super, "others")
	for _, s := range sources {
		table, _ := datamap.Find(s.table)
		others.crowd(table, 3000)
	}
	// 20 is more than anybody here has of one kind, and each export reads a table three times.
	const most = 3 * 20
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		err := r.store.Snapshot(t.Context(), db.System(r.operator.Tenant, "test"), func(tx *db.Tx) error {
			plans.Force(t, tx)
			reads := dbtest.ReadsOf(t, tx, func() error {
				_, err := write(t.Context(), tx, r.files, person, sources, archive.New(io.Discard))
				return err
			})
			for _, s := range sources {
				most := int64(most)
				if s.table == "sessions" || s.table == "submissions" || s.table == "compliance_jobs" {
					most *= 20 // other tables are looked up from these
				}
				if got := reads[s.table]; got.ReadThrough || got.Rows > most || got.Entries > 10*most {
					said, _ := json.Marshal(got)
					t.Errorf("%s: %s", s.table, said)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}, r.urls)
}

// crowd makes n rows of the one that a table has of the person: each about somebody else, and by
// somebody else.
func (m *marker) crowd(t datamap.Table, n int) {
	m.Helper()
	var names, values []string
	for column, kind := range m.columns(t.Name) {
		c, _ := t.Find(column)
		value := "t." + column
		switch {
		case column == "tenant_id", column == "org_unit_id":
		case kind == "uuid":
			value = "gen_random_uuid()"
		case kind == "text" && c.Class == datamap.Pseudonym:
			value = "'user:' || gen_random_uuid()"
		case kind == "text":
			value += " || n"
		case kind == "bytea":
			value = "sha256(n::text::bytea)"
		case kind == "integer", kind == "bigint":
			value += " + n"
		}
		names, values = append(names, column), append(values, value)
	}
	_, err := m.super.Exec(m.Context(), "insert into "+t.Name+" ("+strings.Join(names, ", ")+") select "+strings.Join(values, ", ")+
		" from (select * from "+t.Name+" t where "+strings.ReplaceAll(cmp.Or(t.Subject, t.Author), "$2::uuid", "$2")+") t, generate_series(1, $3::int) n",
		m.tenant, m.person, n)
	if err != nil {
		m.Fatalf("%s: %v", t.Name, err)
	}
}
