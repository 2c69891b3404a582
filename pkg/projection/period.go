package projection

import "time"

// Period is a time from From (included) to To (excluded); nil is without a bound.
type Period struct{ From, To *time.Time }

// Pieces parts a period into whole UTC days, which are added up already, and what is left at
// its edges. None says that there is no whole day.
func (p Period) Pieces() (days Period, none bool, edges []Period) {
	const day = 24 * time.Hour
	first, last := p.From, p.To
	if p.From != nil {
		up := p.From.UTC().Truncate(day)
		if up.Before(*p.From) {
			up = up.Add(day)
		}
		first = &up
	}
	if p.To != nil {
		down := p.To.UTC().Truncate(day)
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

// Rounded parts a period into whole UTC days, from the nearest midnights, and what these days
// have too little (plus) and too much (minus): half a day at each edge at most.
func (p Period) Rounded() (days Period, none bool, plus, minus []Period) {
	days = Period{nearest(p.From), nearest(p.To)}
	if days.From != nil && days.To != nil && !days.From.Before(*days.To) {
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
	add(p.From, days.From, &plus, &minus)
	add(days.To, p.To, &plus, &minus)
	return days, false, plus, minus
}

func nearest(at *time.Time) *time.Time {
	if at == nil {
		return nil
	}
	midnight := at.UTC().Add(12 * time.Hour).Truncate(24 * time.Hour)
	return &midnight
}
