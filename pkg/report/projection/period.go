package projection

import "time"

// Period is a time from From (included) to To (excluded); nil is without a bound.
type Period struct{ From, To *time.Time }

// Spans of UTC that attempts are counted by. Weeks begin on Monday.
const (
	Quarter = Day / 4
	Day     = 24 * time.Hour
	Week    = 7 * Day
)

// SpansOf are the spans that items are counted by in each cut, the shortest one first. There are so
// many groups in runs that they share few cells, and each has so few attempts that a day of them is
// soon read.
var SpansOf = map[string][]time.Duration{"run": {Quarter, Week}, "group": {Quarter, Week}, "run_group": {Day}}

// Pieces splits a period into whole UTC days, which are added up already, and the rest at its
// edges. None says that there is no whole day.
func (p Period) Pieces() (days Period, none bool, edges []Period) {
	first, last := p.From, p.To
	if p.From != nil {
		up := p.From.UTC().Truncate(Day)
		if up.Before(*p.From) {
			up = up.Add(Day)
		}
		first = &up
	}
	if p.To != nil {
		down := p.To.UTC().Truncate(Day)
		last = &down
	}
	if first != nil && last != nil && !first.Before(*last) {
		return Period{}, true, []Period{p}
	}
	if p.From != nil && p.From.Before(*first) {
		edges = append(edges, Period{p.From, first})
	}
	if p.To != nil && last.Before(*p.To) {
		edges = append(edges, Period{last, p.To})
	}
	return Period{first, last}, false, edges
}

// Outside gives the rest of the UTC day that an edge of a period cuts, and whether it is the
// smaller part: then the day, which is added up already, minus the rest is less work than the edge.
func (p Period) Outside() (rest Period, smaller bool) {
	day := p.Day()
	switch {
	case p.From.Equal(*day.From):
		rest = Period{p.To, day.To}
	case p.To.Equal(*day.To):
		rest = Period{day.From, p.From}
	default:
		return Period{}, false
	}
	return rest, rest.To.Sub(*rest.From) < p.To.Sub(*p.From)
}

// Day is the UTC day that a period begins in.
func (p Period) Day() Period {
	start := p.From.UTC().Truncate(Day)
	end := start.Add(Day)
	return Period{&start, &end}
}

// Rounded splits a period into whole units, from the nearest bounds, and what these lack (plus) and
// have too much (minus): half a unit at each edge at most. None says that there is no whole unit.
// Truncate counts from the year 1, which began on a Monday.
func (p Period) Rounded(unit time.Duration) (whole Period, none bool, plus, minus []Period) {
	whole = Period{nearest(p.From, unit), nearest(p.To, unit)}
	if whole.From != nil && whole.To != nil && !whole.From.Before(*whole.To) {
		return Period{}, true, []Period{p}, nil
	}
	add := func(early, late *time.Time, before, after *[]Period) {
		switch {
		case early == nil:
		case early.Before(*late):
			*before = append(*before, Period{early, late})
		case late.Before(*early):
			*after = append(*after, Period{late, early})
		}
	}
	add(p.From, whole.From, &plus, &minus)
	add(whole.To, p.To, &plus, &minus)
	return whole, false, plus, minus
}

func nearest(at *time.Time, unit time.Duration) *time.Time {
	if at == nil {
		return nil
	}
	bound := at.UTC().Add(unit / 2).Truncate(unit)
	return &bound
}
