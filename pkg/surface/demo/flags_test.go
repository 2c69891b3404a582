package demo

import (
	"slices"
	"strings"
	"testing"
)

// figures are the figures of one single-choice item that flags look at; shares are of the
// scored attempts, so omitted ones do not count.
type figures struct {
	facility, omitRate float64
	wrong              []float64 // shares of the distractors, ascending
}

func measure(data Dataset, index int) figures {
	item := data.Items[index]
	counts := map[string]float64{}
	for _, person := range data.Persons {
		counts[person.Responses[index]]++
	}
	scored := float64(len(data.Persons)) - counts[""]
	f := figures{facility: counts[item.Key] / scored, omitRate: counts[""] / float64(len(data.Persons))}
	for i := range item.Options {
		if !strings.Contains(item.Key, letter(i)) {
			f.wrong = append(f.wrong, counts[letter(i)]/scored)
		}
	}
	slices.Sort(f.wrong)
	return f
}

// The thresholds come from the specification, section 4.4; the sample must cross
// them clearly enough to be worth showing.
func TestSampleRaisesEveryFlagOfOneRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		flag, item string
		raised     func(figures) bool
	}{
		{"TOO_EASY", "EMG01", func(f figures) bool { return f.facility >= 0.92 }},
		{"TOO_HARD", "STA02", func(f figures) bool { return f.facility <= 0.19 }},
		{"HIGH_OMIT", "STA03", func(f figures) bool { return f.omitRate >= 0.12 }},
		{"NON_FUNCTIONING_DISTRACTOR", "CHE02", func(f figures) bool { return f.wrong[0] < 0.015 }},
		{"DISTRACTOR_DOMINANCE", "CHE04", func(f figures) bool { return f.wrong[2] >= 0.51 && f.facility <= 0.5 }},
		{"SPLIT_DISTRACTORS", "CHE03", func(f figures) bool { return f.wrong[1] >= 0.26 && f.facility <= 0.6 }},
	}
	data := Sample()
	for _, tt := range tests {
		t.Run(tt.flag, func(t *testing.T) {
			t.Parallel()
			index := slices.IndexFunc(data.Items, func(item Item) bool { return item.ID == tt.item })
			if got := measure(data, index); !tt.raised(got) {
				t.Errorf("%s has %+v, not enough for %s", tt.item, got, tt.flag)
			}
		})
	}
}

func TestMostSampleItemsAreHealthy(t *testing.T) {
	t.Parallel()
	data := Sample()
	var striking []string
	for i, item := range data.Items {
		f := measure(data, i)
		healthy := f.facility > 0.2 && f.facility < 0.9 && f.omitRate < 0.1
		if !item.Multiple {
			strongest, second := f.wrong[len(f.wrong)-1], f.wrong[len(f.wrong)-2]
			healthy = healthy && f.wrong[0] >= 0.02 && strongest < 0.5 && second < 0.25
		}
		if !healthy {
			striking = append(striking, item.ID)
		}
	}
	want := []string{"CHE02", "CHE03", "CHE04", "EMG01", "STA02", "STA03"}
	if !slices.Equal(striking, want) {
		t.Errorf("striking items %q, want %q", striking, want)
	}
}

// REC04 is the item on which partial credit makes a difference: wrong as a whole, but
// more right than wrong options, for a third of the candidates at least.
func TestOneItemIsOftenPartlyRight(t *testing.T) {
	t.Parallel()
	data := Sample()
	index := slices.IndexFunc(data.Items, func(item Item) bool { return item.ID == "REC04" })
	key := data.Items[index].Key
	partly := 0
	for _, person := range data.Persons {
		net := 0
		for _, chosen := range person.Responses[index] {
			if strings.ContainsRune(key, chosen) {
				net++
			} else {
				net--
			}
		}
		if net > 0 && person.Responses[index] != key {
			partly++
		}
	}
	if partly*3 < len(data.Persons) {
		t.Errorf("%d of %d are partly right, want a third", partly, len(data.Persons))
	}
}
