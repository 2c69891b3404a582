package session

import (
	"slices"

	"assess/models"
	"assess/pkg/kernel/ids"
)

// deal decides on the content of a session: its seed, and the drawn items where an exposure policy
// chose them. It never changes.
type deal struct {
	seed  int64
	drawn []ids.ID
}

func dealOf(s models.Session) deal { return deal{seed: s.Seed, drawn: s.Drawn} }

// dealt gives the places of a pool that a session shows, in their order.
func (p *pool) dealt(d deal) []int {
	if d.drawn == nil {
		return p.draw(d.seed)
	}
	places := make([]int, 0, p.count)
	for place, item := range p.items {
		if slices.Contains(d.drawn, item.ItemID) {
			places = append(places, place)
		}
	}
	return places
}
