package projection

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// addDayPairsSQL gives the rows that now count nobody. A day that comes between two others splits
// their pair, so any batch may produce such rows.
const addDayPairsSQL = `
with added as (
	insert into report_evaluation_people as d (tenant_id, org_unit_id, subject_id, cut, run_label, group_id, kind, before, day, n)
	select $1::uuid, org, subject, cut, run, grp, kind, coalesce(date 'epoch' + before, '-infinity'), date 'epoch' + day, n
	from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::text[], $8::int[], $9::int[], $10::bigint[])
		k (org, subject, cut, run, grp, kind, before, day, n)
	on conflict (tenant_id, org_unit_id, subject_id, cut, run_label, group_id, kind, before, day) do update set n = d.n + excluded.n
	returning *
)
select jsonb_agg(a) from added a where n = 0`

const dropDayPairsSQL = `
delete from report_evaluation_people d using jsonb_populate_recordset(null::report_evaluation_people, $2) k
where d.tenant_id = $1 and (d.org_unit_id, d.subject_id, d.cut, d.run_label, d.group_id, d.kind, d.before, d.day)
	= (k.org_unit_id, k.subject_id, k.cut, k.run_label, k.group_id, k.kind, k.before, k.day)`

// kinds are what makes a person be there (see report_evaluation_people).
var kinds = [3]string{"user", "invited", "completed"}

// series is one of the cuts of a version or of a whole evaluation, for one kind. It counts how many
// people were there on a day, by the day on which each of them was there before: so the people of a
// period are the ones whose day before is not in it.
type series struct {
	org, subject ids.ID
	cut, run     string
	group        ids.ID
	kind         string
}

// dayPair is a row of report_evaluation_people: a day, and the previous day of the same person. Days count from 1970; never
// is the previous day of a person's first one.
type dayPair struct {
	series
	before, day int32
}

const never = math.MinInt32

// progress is how far the days of a taker are paired in a series: how often they were there on the
// day that is being looked at, and the days before it, before and after what moved.
type progress struct {
	day, beforeWas, beforeIs int32
	was, is                  int64
}

// addDayPairs adds what the days of a taker change.
func addDayPairs(pairs map[dayPair]int64, t taker, days []takerDay) {
	slices.SortFunc(days, func(a, b takerDay) int { return cmp.Compare(a.day, b.day) })
	reached := map[series]*progress{}
	for _, a := range days {
		for i, kind := range kinds {
			if a.was[i] == 0 && a.is[i] == 0 {
				continue
			}
			for _, c := range a.seriesOf(t, kind) {
				s := reached[c]
				if s == nil {
					s = &progress{day: a.day, beforeWas: never, beforeIs: never}
					reached[c] = s
				}
				if s.day != a.day {
					s.end(pairs, c)
					s.day, s.was, s.is = a.day, 0, 0
				}
				s.was, s.is = s.was+a.was[i], s.is+a.is[i]
			}
		}
	}
	for c, s := range reached {
		s.end(pairs, c)
	}
}

// end adds the pairs that end with the day.
func (s *progress) end(pairs map[dayPair]int64, c series) {
	same := s.was > 0 && s.is > 0 && s.beforeWas == s.beforeIs
	if s.was > 0 {
		if !same {
			pairs[dayPair{c, s.beforeWas, s.day}]--
		}
		s.beforeWas = s.day
	}
	if s.is > 0 {
		if !same {
			pairs[dayPair{c, s.beforeIs, s.day}]++
		}
		s.beforeIs = s.day
	}
}

// seriesOf are the series of the cuts that an attempt belongs to.
func (a takerDay) seriesOf(t taker, kind string) []series {
	var all []series
	for _, subject := range []ids.ID{a.version, t.evaluation} {
		all = append(all, series{t.org, subject, "all", "", ids.None, kind}, series{t.org, subject, "run", a.run, ids.None, kind})
		if a.group != ids.None {
			all = append(all, series{t.org, subject, "group", "", a.group, kind}, series{t.org, subject, "run_group", a.run, a.group, kind})
		}
	}
	return all
}

func writeDayPairs(ctx context.Context, tx *db.Tx, pairs map[dayPair]int64) error {
	var orgs, subjects, groups []ids.ID
	var cuts, runs, kinds []string
	var befores []*int32
	var days []int32
	var numbers []int64
	for l, n := range pairs {
		if n == 0 {
			continue
		}
		var before *int32
		if l.before != never {
			before = &l.before
		}
		orgs, subjects, groups = append(orgs, l.org), append(subjects, l.subject), append(groups, l.group)
		cuts, runs, kinds = append(cuts, l.cut), append(runs, l.run), append(kinds, l.kind)
		befores, days, numbers = append(befores, before), append(days, l.day), append(numbers, n)
	}
	if len(orgs) == 0 {
		return nil
	}
	var empty json.RawMessage
	err := tx.QueryRow(ctx, addDayPairsSQL, tx.Tenant(), orgs, subjects, cuts, runs, groups, kinds, befores, days, numbers).Scan(&empty)
	if err == nil && empty != nil {
		_, err = tx.Exec(ctx, dropDayPairsSQL, tx.Tenant(), empty)
	}
	if err != nil {
		return fmt.Errorf("link days of people: %w", err)
	}
	return nil
}
