package authoring

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"github.com/google/uuid"

	"assess/pkg/kernel/ids"
)

// Shuffle gives a permuted copy. The seed of a session and the id of the thing that has
// the options determine it, today and in ten years: a submission keeps its seed and not
// its order of options.
func Shuffle[T any](seed int64, of ids.ID, things []T) []T {
	source := SourceOf(seed, of)
	mixed := slices.Clone(things)
	for i := len(mixed) - 1; i > 0; i-- {
		// The bias of the remainder is below 2^-50 for any evaluation that fits a screen.
		j := source.Uint64() % uint64(i+1)
		mixed[i], mixed[j] = mixed[j], mixed[i]
	}
	return mixed
}

// SourceOf gives the random numbers for a thing in a session; the same two always give the same numbers.
func SourceOf(seed int64, of ids.ID) *rand.PCG {
	return rand.NewPCG(uint64(seed), binary.BigEndian.Uint64(of[8:]))
}

// ShownPool gives the pool of an item in the same way.
func ShownPool(s Settings, seed int64, item ids.ID, q SnapshotQuestion) []Prompt {
	if !s.ShuffleOptions {
		return q.Pool
	}
	return Shuffle(seed, item, q.Pool)
}

// ShownGapOptions gives the options of a gap of an item in the same way, each gap's in an order of its own.
func ShownGapOptions(s Settings, seed int64, item ids.ID, g Gap) []Prompt {
	if !s.ShuffleOptions {
		return g.Options
	}
	return Shuffle(seed, uuid.NewSHA1(item, []byte(g.ID)), g.Options)
}

// ShownOptions gives the options of an item in the order in which the session of a seed
// shows them, or showed them years ago.
func ShownOptions(s Settings, seed int64, item ids.ID, q SnapshotQuestion) []SnapshotOption {
	if !s.ShuffleOptions && !q.QType.Type().Ordered() {
		return q.Options
	}
	return Shuffle(seed, item, q.Options)
}
