package projection

import (
	"testing"

	"pgregory.net/rapid"

	"assess/pkg/kernel/ids"
)

// However the shown cells are added and subtracted, with whatever factors, the result is about nobody or
// about five people at least. Groups overlap at random; all factors of -2 to 2 are tried.
func TestNothingFollowsAboutAFew(t *testing.T) {
	t.Parallel()
	hidden, shown := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		people := rapid.IntRange(1, 40).Draw(rt, "people")
		var groups []ids.ID
		for range rapid.IntRange(0, 5).Draw(rt, "groups") {
			groups = append(groups, ids.New())
		}
		var cohorts []Cohort
		for range people {
			var in []ids.ID
			for _, g := range groups {
				if rapid.IntRange(0, 2).Draw(rt, "joins") > 0 {
					in = append(in, g)
				}
			}
			cohorts = append(cohorts, Cohort{Groups: in, N: 1, Sum: 1})
		}
		var seen []Cell
		for _, c := range Cells(cohorts, 0) {
			if c.Shown {
				seen = append(seen, c)
				shown++
			} else {
				hidden++
			}
		}
		factors := make([]int, len(seen))
		for i := range factors {
			factors[i] = -2
		}
		for more := len(seen) > 0; more; more = next(factors) {
			about := 0
			for _, person := range cohorts {
				if counts(person, seen, factors) != 0 {
					about++
				}
			}
			if about > 0 && about < Fewest {
				rt.Fatalf("%v times the cells is about %d people", factors, about)
			}
		}
	})
	if hidden == 0 || shown < 20 {
		t.Errorf("%d cells hidden, %d shown: the groups do not try the rule", hidden, shown)
	}
}

// next counts up in base five.
func next(factors []int) bool {
	for i := range factors {
		if factors[i]++; factors[i] <= 2 {
			return true
		}
		factors[i] = -2
	}
	return false
}

// counts gives the factor of a person in the sum of cells.
func counts(person Cohort, cells []Cell, factors []int) int {
	n := 0
	for i, c := range cells {
		in := c.Group == ids.None
		for _, g := range person.Groups {
			in = in || g == c.Group
		}
		if in {
			n += factors[i]
		}
	}
	return n
}

// Of counts that make up a whole, no hidden count follows from the others.
func TestHiddenCountsDoNotFollow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		counts []int64
		hidden string
	}{
		{[]int64{10, 20, 30}, "---"},
		{[]int64{0, 20, 30}, "---"},
		{[]int64{3, 20, 30}, "hh-"},
		{[]int64{3, 4, 30}, "hh-"},
		{[]int64{1, 2, 30, 6}, "hh-h"},
		{[]int64{2, 0, 0}, "h--"},
		{nil, ""},
	} {
		got := ""
		for _, h := range Hide(c.counts) {
			got += map[bool]string{true: "h", false: "-"}[h]
		}
		if got != c.hidden {
			t.Errorf("%v: %s, want %s", c.counts, got, c.hidden)
		}
	}
}
