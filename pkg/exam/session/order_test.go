package session

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/ids"
)

// A submission keeps only its seed: if a draw changed, nobody could tell any more which questions
// people were shown.
func TestDrawIsFixedForAllTime(t *testing.T) {
	t.Parallel()
	p := pool{id: ids.ID{15: 9}, items: make([]*formItem, 12), count: 5}
	for seed, want := range map[int64][]int{42: {1, 2, 6, 10, 11}, 43: {0, 1, 2, 6, 9}, -1: {2, 3, 7, 8, 9}} {
		if got := p.draw(seed); !cmp.Equal(got, want) {
			t.Errorf("seed %d: got %v, want %v", seed, got, want)
		}
	}
}

func TestDrawGivesEveryPlaceItsChance(t *testing.T) {
	t.Parallel()
	p := pool{id: ids.New(), items: make([]*formItem, 10), count: 3}
	drawn := make([]int, 10)
	for seed := range int64(20_000) {
		for _, place := range p.draw(seed) {
			drawn[place]++
		}
	}
	for place, n := range drawn {
		// 6,000 expected; six standard deviations of the binomial are 389.
		if n < 5600 || n > 6400 {
			t.Errorf("place %d was drawn %d times in 20000, want about 6000", place, n)
		}
	}
}
