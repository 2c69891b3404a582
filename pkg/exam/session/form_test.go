package session

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/ids"
)

// exam makes a snapshot of random sections out of fixed questions, passages and draws, and
// says how many items a session shows of each section.
func exam(t *rapid.T) (*authoring.Snapshot, []int) {
	s := &authoring.Snapshot{Questions: map[string]authoring.SnapshotQuestion{}}
	s.Settings.ShuffleItems = rapid.Bool().Draw(t, "shuffle")
	var shown []int
	for range rapid.IntRange(1, 3).Draw(t, "sections") {
		section, n := authoring.SnapshotSection{ID: ids.New()}, 0
		for range rapid.IntRange(1, 5).Draw(t, "units") {
			n += addUnit(t, &section)
		}
		s.Sections, shown = append(s.Sections, section), append(shown, n)
	}
	return s, shown
}

func addUnit(t *rapid.T, section *authoring.SnapshotSection) int {
	kind := rapid.SampledFrom([]string{"fixed", authoring.GroupPassage, authoring.GroupDraw}).Draw(t, "kind")
	size := rapid.IntRange(1, 12).Draw(t, "size")
	if kind == "fixed" {
		size = 1
	}
	count := size
	if kind == authoring.GroupDraw {
		count = rapid.IntRange(1, size).Draw(t, "count")
	}
	group := authoring.SnapshotGroup{ID: ids.New(), Kind: kind, Count: count}
	for range size {
		item := authoring.SnapshotItem{ItemID: ids.New(), QuestionID: ids.New(), QuestionVersionID: ids.New()}
		if kind != "fixed" {
			item.GroupID = &group.ID
		}
		section.Items = append(section.Items, item)
	}
	if kind != "fixed" {
		section.Groups = append(section.Groups, group)
	}
	return count
}

func TestEverySessionIsComplete(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, want := exam(t)
		f, seed := digest("", s), rapid.Int64().Draw(t, "seed")
		shown := map[ids.ID]bool{}
		for i, section := range f.order(deal{seed: seed}) {
			if len(section.items) != want[i] {
				t.Fatalf("section %d shows %d items, want %d", i, len(section.items), want[i])
			}
			for _, item := range section.items {
				if shown[item.ItemID] {
					t.Fatalf("item %s comes twice", item.ItemID)
				}
				shown[item.ItemID] = true
			}
			keepsPassages(t, s.Sections[i], section.items)
		}
		if len(shown) != f.shown() {
			t.Fatalf("%d items are shown, shown says %d", len(shown), f.shown())
		}
		for id, item := range f.items {
			if item.shows(deal{seed: seed}) != shown[id] {
				t.Fatalf("item %s: shows says %t", id, item.shows(deal{seed: seed}))
			}
		}
		if diff := cmp.Diff(idsOf(f.order(deal{seed: seed})), idsOf(digest("", s).order(deal{seed: seed}))); diff != "" {
			t.Fatalf("the same seed shows something else:\n%s", diff)
		}
	})
}

// keepsPassages fails unless the items of each passage are together, in their order.
func keepsPassages(t *rapid.T, section authoring.SnapshotSection, shown []*formItem) {
	for _, group := range section.Groups {
		if group.Kind != authoring.GroupPassage {
			continue
		}
		var want []ids.ID
		for _, item := range section.Items {
			if item.GroupID != nil && *item.GroupID == group.ID {
				want = append(want, item.ItemID)
			}
		}
		at := slices.IndexFunc(shown, func(i *formItem) bool { return i.ItemID == want[0] })
		for i, id := range want {
			if at+i >= len(shown) || shown[at+i].ItemID != id {
				t.Fatalf("the questions of a passage are not together")
			}
		}
	}
}

func idsOf(sections []shownSection) [][]ids.ID {
	var all [][]ids.ID
	for _, section := range sections {
		var some []ids.ID
		for _, item := range section.items {
			some = append(some, item.ItemID)
		}
		all = append(all, some)
	}
	return all
}
