package erasure

import (
	"encoding/json"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/trust/datamap"
)

// Among many rows of others, forgetting looks only at the rows of its person: whatever PostgreSQL knows of
// the tables, and however it plans.
func TestRowsAreErasedFromThoseOfThePerson(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	h := newTenantIn(t, urls)
	ada, grace := h.newPerson("Ada"), h.newPerson("Grace")
	super := dbtest.Heap(t, urls)
	sample.DropChecks(t, super)
	for _, table := range datamap.Tables {
		if table.Subject != "" && table.Name != "ledger_events" { // which is only appended to
			sample.Crowd(t, super, h.operator.Tenant, grace.ID, table, 2000)
		}
	}
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		err := h.store.DryRun(t.Context(), h.job(), func(tx *db.Tx) error {
			plans.Force(t, tx)
			var counts map[string]int64
			var err error
			reads := dbtest.ReadsOf(t, tx, func() error {
				counts, err = eraseRows(t.Context(), tx, ada.ID)
				return err
			})
			for _, table := range datamap.Tables {
				if got := reads[table.Name]; got.ReadThrough || got.Rows > 200 {
					said, _ := json.Marshal(got)
					t.Errorf("%s: %s", table.Name, said)
				}
			}
			if len(counts) < 12 {
				t.Errorf("rows were erased in %v", counts)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}, urls)
}
