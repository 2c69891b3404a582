package delivery

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assess/pkg/ids"
)

// A submission keeps its seed alone: were the order to change, the options that people
// were shown could not be told any more.
func TestShuffleIsFixedForAllTime(t *testing.T) {
	t.Parallel()
	of := ids.ID{15: 7}
	got := shuffle(42, of, []string{"A", "B", "C", "D", "E", "F"})
	if want := []string{"B", "C", "D", "A", "E", "F"}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestShuffleIsAPermutation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		things := rapid.SliceOf(rapid.Int()).Draw(t, "things")
		before := slices.Clone(things)
		got := shuffle(rapid.Int64().Draw(t, "seed"), ids.New(), things)
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(before)); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		if !slices.Equal(things, before) {
			t.Fatal("the original was changed")
		}
	})
}

// A submission keeps its seed alone: were a draw to change, nobody could tell any more what
// people might have been shown.
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
