package ledger_test

import (
	"slices"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Events about a subject come in order, piece by piece and by type, and only by the index: events
// of other subjects are not looked at.
func TestAboutGivesTheEventsOfOneSubject(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	scope, wanted := sample.Tenant(t, store), ids.New()
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		var events []ledger.Event
		for i := range 2000 {
			of := ids.New()
			if i%500 == 0 {
				of = wanted
			}
			events = append(events, ledger.Event{Type: []string{"a.b", "c.d"}[i/500%2], SubjectType: "test", SubjectID: of})
		}
		return ledger.Append(t.Context(), tx, events...)
	})
	types := func(tx *db.Tx, after int64, limit int, chosen ...string) (all []string, last int64) {
		found, err := ledger.About(t.Context(), tx, wanted, after, limit, chosen...)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range found {
			all, last = append(all, e.Type), e.Seq
		}
		return all, last
	}
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
			plans.Force(t, tx)
			dbtest.ByIndex(t, tx, "events of one subject", 40, func() error {
				first, last := types(tx, 0, 3)
				rest, _ := types(tx, last, 3)
				chosen, _ := types(tx, 0, 10, "c.d")
				if !slices.Equal(first, []string{"a.b", "c.d", "a.b"}) || !slices.Equal(rest, []string{"c.d"}) || !slices.Equal(chosen, []string{"c.d", "c.d"}) {
					t.Errorf("got %v, then %v; of one type %v", first, rest, chosen)
				}
				return nil
			}, "ledger_events")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}, urls)
}
