package requests

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func day(text string) time.Time {
	t, err := time.Parse("2006-01-02", text)
	if err != nil {
		panic(err)
	}
	return t
}

func TestAMonthLater(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		months   int
	}{{"2031-01-15", "2031-02-15", 1}, {"2031-01-31", "2031-02-28", 1}, {"2032-01-31", "2032-02-29", 1}, {"2031-02-28", "2031-03-28", 1},
		{"2031-12-31", "2032-02-29", 2}, {"2031-08-31", "2031-10-31", 2}, {"2031-03-31", "2031-04-30", 1}} {
		if got := later(day(c.from), c.months).Format("2006-01-02"); got != c.to {
			t.Errorf("%d months after %s is %s, want %s", c.months, c.from, got, c.to)
		}
	}
}

// The time of a request, its place in lists, and the metrics agree, whatever has become of it.
func TestTheTimeOfARequest(t *testing.T) {
	t.Parallel()
	d := newDeskIn(t, dbtest.Open(t, db.Options{URL: dbtest.Fresh(t).App, MaxConns: 4})) // the metrics count over all tenants
	want := map[string][]ids.ID{}
	expect := func(r Detail, state string) {
		t.Helper()
		d.do(d.olga, "", func(tx *db.Tx) (Detail, error) {
			r, err := Get(t.Context(), tx, r.ID)
			if r.SLAState != state {
				t.Errorf("a request that came at %s, due at %s, is %s, want %s", r.ReceivedAt, r.SLADueAt, r.SLAState, state)
			}
			return r, err
		})
		want[state] = append(want[state], r.ID)
	}
	now := time.Now().UTC()
	expect(d.record(Access, time.Time{}), onTrack)
	expect(d.record(Access, now.AddDate(0, 0, -27)), atRisk)
	expect(d.record(Erasure, now.AddDate(0, -2, 0)), breached)
	waiting := d.record(Access, now.AddDate(0, 0, -10))
	d.do(d.olga, "", func(tx *db.Tx) (Detail, error) { return AskIdentity(t.Context(), tx, waiting.ID) })
	expect(waiting, paused)
	overdue := d.record(Access, now.AddDate(0, -2, 0))
	d.do(d.olga, "", func(tx *db.Tx) (Detail, error) { return AskIdentity(t.Context(), tx, overdue.ID) })
	expect(overdue, breached)
	lateEnd := d.record(Access, now.AddDate(0, -2, 0))
	d.do(d.olga, "", func(tx *db.Tx) (Detail, error) { return Withdraw(t.Context(), tx, lateEnd.ID) })
	expect(lateEnd, breached)
	early := d.record(Access, time.Time{})
	d.do(d.olga, "", func(tx *db.Tx) (Detail, error) { return Withdraw(t.Context(), tx, early.ID) })
	expect(early, onTrack)

	open := map[string]int64{}
	counted, err := CountOpen(t.Context(), d.store.Unscoped())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range counted {
		open[o.SLAState] = o.N
	}
	if fmt.Sprint(open) != "map[at_risk:1 breached:2 on_track:1 paused:1]" {
		t.Errorf("open are %v", open)
	}
	for _, state := range SLAStates {
		list := d.list(Filter{SLAState: state})
		for _, id := range want[state] {
			if !slices.ContainsFunc(list, func(r Request) bool { return r.ID == id }) {
				t.Errorf("%s is not in the list of %s", id, state)
			}
		}
		if len(list) != len(want[state]) {
			t.Errorf("%d requests are %s, want %d", len(list), state, len(want[state]))
		}
	}
	due := d.list(Filter{Due: true})
	if len(due) != 5 || due[0].SLADueAt.After(due[4].SLADueAt) {
		t.Errorf("due are %+v", due)
	}
}

func (d *desk) list(f Filter) []Request {
	d.Helper()
	var list db.List[Request]
	err := d.store.Read(d.Context(), d.olga, func(tx *db.Tx) error {
		var err error
		list, err = List(d.Context(), tx, f)
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
	return list.Items
}

// While the identity is open, the time is paused: the rest of it is the same before and after.
func TestTheTimeStandsStill(t *testing.T) {
	t.Parallel()
	asked, present := day("2031-05-10"), day("2031-07-01")
	row := models.ComplianceRequest{ClockFrom: day("2031-05-01"), DueAt: day("2031-06-01"), IdentityAskedAt: &asked}
	left := due(row, present).Sub(present)
	run(&row, present)
	if row.IdentityAskedAt != nil || row.DueAt.Sub(present) != left || left != day("2031-06-01").Sub(asked) {
		t.Errorf("due at %s, with %s left", row.DueAt, left)
	}
}

func TestExtendedOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	r := d.record(Access, day(time.Now().AddDate(0, 0, -5).Format("2006-01-02")))
	extend := func(r Detail, reason string, want errs.Code) Detail {
		t.Helper()
		return d.do(d.olga, want, func(tx *db.Tx) (Detail, error) { return Extend(t.Context(), tx, r.ID, Extension{reason}) })
	}
	extend(r, "", errs.ValidationFailed)
	extend(r, "because", errs.ValidationFailed)
	longer := extend(r, "complexity", "")
	if !longer.SLADueAt.Equal(later(r.SLADueAt, 2)) {
		t.Errorf("due %s, and then %s", r.SLADueAt, longer.SLADueAt)
	}
	extend(r, "complexity", errs.RequestExtended)
	extend(d.record(Access, time.Now().AddDate(0, -3, 0)), "complexity", errs.RequestOverdue)
}

// Among thousands that were answered, lists look at what they find.
func TestListsLookAtWhatTheyFind(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	d := newDeskIn(t, dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 4}))
	super := dbtest.Heap(t, urls)
	_, err := super.Exec(t.Context(), `insert into compliance_requests (tenant_id, id, kind, channel, state, received_at, clock_from, due_at, ended_at, decision, recorded_by, created_at)
		select $1, gen_random_uuid(), 'access', 'letter', 'answered', at, at, at + interval '30 days', at, 'refused', 'system:crowd', at
		from (select now() - interval '60 days' + g * interval '1 minute' as at from generate_series(1, 5000) g) g`, d.operator.Tenant)
	if err != nil {
		t.Fatal(err)
	}
	d.record(Erasure, time.Now().AddDate(0, -2, 0))
	d.record(Erasure, time.Time{})
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		err := d.store.Read(t.Context(), d.olga, func(tx *db.Tx) error {
			plans.Force(t, tx)
			for name, c := range map[string]struct {
				Filter
				want int
			}{
				"of a person": {Filter{SubjectID: d.person}, 2}, "of a kind": {Filter{Kind: Erasure}, 2}, "in a state": {Filter{State: Received}, 2},
				"that are due": {Filter{Due: true}, 2}, "whose time is over": {Filter{SLAState: breached}, 1}, "at risk": {Filter{SLAState: atRisk}, 0},
			} {
				dbtest.ByIndex(t, tx, "requests "+name, 60, func() error {
					list, err := List(t.Context(), tx, c.Filter)
					if list.Total != c.want {
						t.Errorf("requests %s: %d, want %d", name, list.Total, c.want)
					}
					return err
				})
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}, urls)
}
