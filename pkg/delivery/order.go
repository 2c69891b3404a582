package delivery

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"assess/pkg/authoring"
	"assess/pkg/ids"
)

// order gives the sections with their items as the person sees them: items move within
// their section.
func (f *form) order(seed int64) []formSection {
	if !f.settings.ShuffleItems {
		return f.sections
	}
	shuffled := slices.Clone(f.sections)
	for i, section := range shuffled {
		shuffled[i].items = shuffle(seed, section.id, section.items)
	}
	return shuffled
}

// options gives the options of an item as the person sees them.
func (f *form) options(seed int64, item *formItem) []authoring.SnapshotOption {
	if !f.settings.ShuffleOptions {
		return item.question.Options
	}
	return shuffle(seed, item.ItemID, item.question.Options)
}

// shuffle gives a permuted copy. The seed and the id of what holds the things decide on
// it, today and in ten years: a submission keeps its seed and not its order of options.
func shuffle[T any](seed int64, of ids.ID, things []T) []T {
	source := rand.NewPCG(uint64(seed), binary.BigEndian.Uint64(of[8:]))
	mixed := slices.Clone(things)
	for i := len(mixed) - 1; i > 0; i-- {
		// The bias of the remainder is below 2^-50 for any evaluation that fits a screen.
		j := source.Uint64() % uint64(i+1)
		mixed[i], mixed[j] = mixed[j], mixed[i]
	}
	return mixed
}
