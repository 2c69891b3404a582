package session

import (
	"slices"

	"assess/pkg/author/authoring"
)

// shownSection is a section with the items that one session shows, in its order.
type shownSection struct {
	formSection
	items []*formItem
}

// order gives the sections as the person sees them: draws are replaced by the drawn items, and
// items move within their section, the items of a passage together.
func (f *form) order(d deal) []shownSection {
	sections := make([]shownSection, 0, len(f.sections))
	for _, section := range f.sections {
		units := section.drawn(d)
		if f.settings.ShuffleItems {
			units = authoring.Shuffle(d.seed, section.id, units)
		}
		shown := shownSection{section, make([]*formItem, 0, section.shown)}
		for _, u := range units {
			shown.items = append(shown.items, u.items...)
		}
		sections = append(sections, shown)
	}
	return sections
}

// shown counts the items of a session.
func (f *form) shown() int {
	n := 0
	for _, section := range f.sections {
		n += section.shown
	}
	return n
}

// drawn gives the units of a section with the drawn items in the place of their draw.
func (s formSection) drawn(d deal) []unit {
	if !s.draws {
		return s.units
	}
	units := make([]unit, 0, s.shown)
	for _, u := range s.units {
		if u.pool == nil {
			units = append(units, u)
			continue
		}
		for _, place := range u.pool.dealt(d) {
			units = append(units, unit{items: u.pool.items[place : place+1]})
		}
	}
	return units
}

// draw chooses places of the pool, in their order; every set of count places is as likely
// as any other. The seed and the id of the draw decide on it, for all time, as for shuffle.
// It takes as many steps as it draws, however large the pool is (Floyd's algorithm).
func (p *pool) draw(seed int64) []int {
	source := authoring.SourceOf(seed, p.id)
	places := make([]int, 0, p.count)
	chosen := make(map[int]bool, p.count)
	for last := max(0, len(p.items)-p.count); last < len(p.items); last++ {
		place := int(source.Uint64() % uint64(last+1))
		if chosen[place] {
			place = last
		}
		chosen[place] = true
		places = append(places, place)
	}
	slices.Sort(places)
	return places
}

// shows says whether a session shows an item.
func (i *formItem) shows(d deal) bool {
	return i.pool == nil || slices.Contains(i.pool.dealt(d), i.place)
}

// options gives the options of an item as the person sees them.
func (f *form) options(seed int64, item *formItem) []authoring.SnapshotOption {
	return authoring.ShownOptions(f.settings, seed, item.ItemID, item.question)
}
