package delivery

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"assess/pkg/authoring"
	"assess/pkg/ids"
)

// shownSection is a section with the items that one session shows, in its order.
type shownSection struct {
	formSection
	items []*formItem
}

// order gives the sections as the person sees them: draws come down to what was drawn, and
// items move within their section, those of a passage together.
func (f *form) order(d deal) []shownSection {
	sections := make([]shownSection, 0, len(f.sections))
	for _, section := range f.sections {
		units := section.drawn(d)
		if f.settings.ShuffleItems {
			units = shuffle(d.seed, section.id, units)
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
	source := sourceOf(seed, p.id)
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
	return ShownOptions(f.settings, seed, item.ItemID, item.question.Options)
}

// ShownOptions gives the options of an item in the order in which the session of a seed
// shows them, or showed them years ago.
func ShownOptions(s authoring.Settings, seed int64, item ids.ID, options []authoring.SnapshotOption) []authoring.SnapshotOption {
	if !s.ShuffleOptions {
		return options
	}
	return shuffle(seed, item, options)
}

// shuffle gives a permuted copy. The seed and the id of what holds the things decide on
// it, today and in ten years: a submission keeps its seed and not its order of options.
func shuffle[T any](seed int64, of ids.ID, things []T) []T {
	source := sourceOf(seed, of)
	mixed := slices.Clone(things)
	for i := len(mixed) - 1; i > 0; i-- {
		// The bias of the remainder is below 2^-50 for any evaluation that fits a screen.
		j := source.Uint64() % uint64(i+1)
		mixed[i], mixed[j] = mixed[j], mixed[i]
	}
	return mixed
}

func sourceOf(seed int64, of ids.ID) *rand.PCG {
	return rand.NewPCG(uint64(seed), binary.BigEndian.Uint64(of[8:]))
}
