package authoring_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/ids"
)

// A submission keeps only its seed: if the order changed, nobody could tell any more
// which options people were shown.
func TestShuffleIsFixedForAllTime(t *testing.T) {
	t.Parallel()
	of := ids.ID{15: 7}
	got := authoring.Shuffle(42, of, []string{"A", "B", "C", "D", "E", "F"})
	if want := []string{"B", "C", "D", "A", "E", "F"}; !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestShuffleIsAPermutation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		things := rapid.SliceOf(rapid.Int()).Draw(t, "things")
		before := slices.Clone(things)
		got := authoring.Shuffle(rapid.Int64().Draw(t, "seed"), ids.New(), things)
		slices.Sort(got)
		if want := slices.Sorted(slices.Values(before)); !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		if !slices.Equal(things, before) {
			t.Fatal("the original was changed")
		}
	})
}
