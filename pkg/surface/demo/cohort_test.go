package demo

import (
	"math"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func sampleItems(t *testing.T) []SimulatedItem {
	t.Helper()
	items, err := itemsOfQuestions(sampleFiles())
	if err != nil {
		t.Fatal(err)
	}
	simulated, err := readParameters(sampleFiles(), items)
	if err != nil {
		t.Fatal(err)
	}
	return simulated
}

func TestGenerateIsDeterministic(t *testing.T) {
	t.Parallel()
	items := sampleItems(t)
	cohort := Generate(items, 50, 7)
	if diff := cmp.Diff(cohort, Generate(items, 50, 7)); diff != "" {
		t.Errorf("the same seed gives another cohort:\n%s", diff)
	}
	if diff := cmp.Diff(cohort[:20], Generate(items, 20, 7)); diff != "" {
		t.Errorf("a smaller cohort is not the beginning of the larger:\n%s", diff)
	}
	if cmp.Equal(cohort, Generate(items, 50, 8)) {
		t.Error("another seed gives the same cohort")
	}
}

// Read reads everything that Build writes, for any cohort.
func TestBuildAndReadAgree(t *testing.T) {
	t.Parallel()
	items := sampleItems(t)
	rapid.Check(t, func(t *rapid.T) {
		persons, seed := rapid.IntRange(1, 12).Draw(t, "persons"), rapid.Uint64().Draw(t, "seed")
		built, err := Build(sampleFiles(), persons, seed)
		if err != nil {
			t.Fatal(err)
		}
		fsys := fstest.MapFS{}
		for name, content := range built {
			fsys[name] = &fstest.MapFile{Data: content}
		}
		data, err := Read(fsys)
		if err != nil {
			t.Fatal(err)
		}
		var want []Person
		for _, candidate := range Generate(items, persons, seed) {
			want = append(want, candidate.Person)
		}
		if diff := cmp.Diff(want, data.Persons); diff != "" {
			t.Errorf("persons (-generated +read):\n%s", diff)
		}
	})
}

func TestAbilityDecidesTheScore(t *testing.T) {
	t.Parallel()
	items := sampleItems(t)
	cohort := Generate(items, DefaultPersons, DefaultSeed)
	abilities, scores := make([]float64, len(cohort)), make([]float64, len(cohort))
	distinct := map[float64]bool{}
	for i, candidate := range cohort {
		abilities[i] = candidate.Ability
		distinct[candidate.Ability] = true
		for j, item := range items {
			if candidate.Responses[j] == item.Key {
				scores[i]++
			}
		}
	}
	if r := correlation(abilities, scores); r < 0.75 {
		t.Errorf("ability and score correlate by %.2f, want at least 0.75", r)
	}
	if len(distinct) != len(cohort) {
		t.Errorf("%d distinct abilities of %d candidates", len(distinct), len(cohort))
	}
}

func correlation(x, y []float64) float64 {
	var sx, sy, sxx, syy, sxy float64
	n := float64(len(x))
	for i := range x {
		sx, sy = sx+x[i], sy+y[i]
		sxx, syy, sxy = sxx+x[i]*x[i], syy+y[i]*y[i], sxy+x[i]*y[i]
	}
	return (n*sxy - sx*sy) / math.Sqrt((n*sxx-sx*sx)*(n*syy-sy*sy))
}

func TestNobodyWorksLongerThanAllowed(t *testing.T) {
	t.Parallel()
	unfinished := 0
	for _, candidate := range Generate(sampleItems(t), DefaultPersons, DefaultSeed) {
		total := int64(0)
		for _, ms := range candidate.TimesMs {
			total += ms
		}
		if total > timeAllowedMs {
			t.Errorf("%s worked for %d ms, allowed are %d", candidate.ID, total, timeAllowedMs)
		}
		if total == timeAllowedMs {
			unfinished++
		}
	}
	if unfinished == 0 || unfinished > DefaultPersons/10 {
		t.Errorf("%d of %d ran out of time, want a few", unfinished, DefaultPersons)
	}
}
