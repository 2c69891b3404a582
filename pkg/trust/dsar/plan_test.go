package dsar

import (
	"encoding/json"
	"io"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/trust/archive"
	"assess/pkg/trust/datamap"
)

// Among many attempts of others, an export reads only the rows of its person: whatever PostgreSQL
// knows of the tables, and however it plans.
func TestRowsAreLookedUpFromThoseOfThePerson(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	r := newRoom(t)
	person, _ := r.takes(3)
	for range 2 {
		other, _ := r.takes(3)
		multiply(t, r.urls, other, 2000)
	}
	super := dbtest.Heap(t, r.urls)
	sample.DropChecks(t, super)
	others := r.marked(super, "others")
	for _, s := range sources {
		table, _ := datamap.Find(s.table)
		sample.Crowd(t, super, r.operator.Tenant, others.person, table, 3000)
	}
	// 20 is more than anybody here has of one kind, and each export reads a table three times.
	const most = 3 * 20
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		err := r.store.Read(t.Context(), db.System(r.operator.Tenant, "test"), func(tx *db.Tx) error {
			plans.Force(t, tx)
			reads := dbtest.ReadsOf(t, tx, func() error {
				_, err := write(t.Context(), tx, r.files, person, sources, archive.New(io.Discard))
				return err
			})
			for _, s := range sources {
				most := int64(most)
				if table, _ := datamap.Find(s.table); table.Named != "" {
					most *= 3000 // rows that name somebody are found by reading all rows: a tenant has few
				}
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
