package authoring

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assess/pkg/kernel/ids"
)

// numbered gives the id of the n-th question.
func numbered(n int) ids.ID { return ids.ID{14: byte(n >> 8), 15: byte(n)} }

func TestDealSharesOut(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		counts     []int
		candidates [][]int
		want       [][]int
	}{
		{"one draw takes all", []int{1}, [][]int{{1, 2, 3}}, [][]int{{1, 2, 3}}},
		{"equal draws share", []int{1, 1}, [][]int{{1, 2, 3, 4}, {1, 2, 3, 4}}, [][]int{{1, 3}, {2, 4}}},
		{"shares follow the counts", []int{3, 1}, [][]int{{1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 4, 5, 6, 7, 8}}, [][]int{{1, 2, 3, 5, 7, 8}, {4, 6}}},
		{"the choosy one gets its own", []int{1, 1}, [][]int{{1, 2}, {1}}, [][]int{{2}, {1}}},
		{"a chain of exchanges", []int{1, 1, 1}, [][]int{{1, 2}, {1, 3}, {1}}, [][]int{{2}, {3}, {1}}},
		{"too few", []int{2, 2}, [][]int{{1, 2, 3}, {1, 2, 3}}, [][]int{{1, 2}, {3}}},
		{"nothing to draw", []int{1}, [][]int{nil}, [][]int{{}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := [][]int{}
			for _, pool := range deal(test.counts, sets(test.candidates)) {
				numbers := []int{}
				for _, id := range pool {
					numbers = append(numbers, int(id[15]))
				}
				got = append(got, numbers)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("pools (-want +got):\n%s", diff)
			}
		})
	}
}

func sets(candidates [][]int) [][]ids.ID {
	all := make([][]ids.ID, len(candidates))
	for i, numbers := range candidates {
		for _, n := range numbers {
			all[i] = append(all[i], numbered(n))
		}
	}
	return all
}

// Pools are disjoint and made of candidates; every candidate is in one; and a count is not
// met only if there is no way of sharing out that meets all counts (Hall's condition: some
// draws have fewer candidates together than they are to show).
func TestDealMeetsTheCountsWheneverItCan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draws := rapid.IntRange(1, 6).Draw(t, "draws")
		counts, candidates := make([]int, draws), make([][]int, draws)
		for i := range draws {
			counts[i] = rapid.IntRange(1, 5).Draw(t, "count")
			candidates[i] = slices.Sorted(slices.Values(rapid.SliceOfNDistinct(rapid.IntRange(1, 20), 0, 12, rapid.ID[int]).Draw(t, "candidates")))
		}
		pools := deal(counts, sets(candidates))
		owner := map[ids.ID]int{}
		met := true
		for i, pool := range pools {
			met = met && len(pool) >= counts[i]
			for _, id := range pool {
				if _, twice := owner[id]; twice || !slices.Contains(candidates[i], int(id[15])) {
					t.Fatalf("pools %v of candidates %v", pools, candidates)
				}
				owner[id] = i
			}
		}
		if want := everybodyCanBeServed(counts, candidates); met != want {
			t.Fatalf("all counts met: got %v, want %v; counts %v, candidates %v", met, want, counts, candidates)
		}
		all := map[int]bool{}
		for _, numbers := range candidates {
			for _, n := range numbers {
				all[n] = true
			}
		}
		if len(owner) != len(all) {
			t.Fatalf("%d of %d candidates are in a pool", len(owner), len(all))
		}
	})
}

func everybodyCanBeServed(counts []int, candidates [][]int) bool {
	for some := range 1 << len(counts) {
		wanted, together := 0, map[int]bool{}
		for i := range counts {
			if some>>i&1 == 0 {
				continue
			}
			wanted += counts[i]
			for _, n := range candidates[i] {
				together[n] = true
			}
		}
		if wanted > len(together) {
			return false
		}
	}
	return true
}
