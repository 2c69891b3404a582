package reporting

import (
	"testing"
	"time"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
)

// Only the part of a quarter of a day that a period cuts off is counted from items: here the two
// and a half hours after a midnight and the two and a quarter before an evening. A period of whole
// quarters reads no item at all. In a list of groups of a run the unit is days.
func TestOnlyHoursAtTheEdgesOfAPeriodReadItems(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	c, _, _ := newCrowd(t, 240)
	midnight, run := epoch.Truncate(24*time.Hour).AddDate(0, 0, 1), "run 1"
	from, to := midnight.Add(150*time.Minute), midnight.Add(3*24*time.Hour+15*time.Hour+45*time.Minute)
	quarter, evening, night := midnight.Add(6*time.Hour), midnight.Add(3*24*time.Hour+18*time.Hour), midnight.Add(4*24*time.Hour)
	for name, one := range map[string]struct {
		from, to time.Time
		run      *string
		edges    [][2]time.Time
	}{
		"odd":            {from, to, nil, [][2]time.Time{{midnight, from}, {to, evening}}},
		"odd, of a run":  {from, to, &run, [][2]time.Time{{midnight, from}, {to, night}}},
		"whole quarters": {quarter, evening, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var most int64
			for _, edge := range one.edges {
				most += c.itemsIn(t, edge[0], edge[1], one.run)
			}
			all := c.itemsIn(t, one.from, one.to, one.run)
			if all == 0 || all < 3*most || (most == 0) != (one.edges == nil) {
				t.Fatalf("%d items of %d are at the edges: that proves nothing", most, all)
			}
			in := SummaryListInput{SummaryInput: SummaryInput{EvaluationVersionID: c.versions[0], From: &one.from, To: &one.to, RunLabel: one.run,
				Include: []string{IncludeTags, IncludeSections}}}
			reads := report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (map[string]dbtest.Reads, error) {
				return dbtest.ReadsOf(t, tx, func() error {
					_, err := SummaryGroups(t.Context(), tx, in)
					return err
				}), nil
			})
			if items := reads["report_item_attempts_flat"]; items.ReadThrough || items.Rows > most {
				t.Errorf("read %+v, want %d of %d items", items, most, all)
			}
			if cells := reads["report_evaluation_items"]; cells.Rows == 0 || cells.ReadThrough {
				t.Errorf("cells: %+v", cells)
			}
		})
	}
}

// itemsIn counts the items of a time, of a run if one is given.
func (c *cohort) itemsIn(t *testing.T, from, to time.Time, run *string) int64 {
	t.Helper()
	return int64(len(c.strings(t, `select submission_item_id::text from report_item_attempts_flat
		where tenant_id = $1 and evaluation_version_id = $2 and completed_at >= $3 and completed_at < $4 and ($5::text is null or run_label = $5)`,
		c.tenant, c.versions[0], from, to, run)))
}
