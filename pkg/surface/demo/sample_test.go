package demo

import (
	"bytes"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	t.Parallel()
	want, err := Build(sampleFiles(), DefaultPersons, DefaultSeed)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range want {
		got, err := fs.ReadFile(sampleFiles(), name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, content) {
			t.Errorf("data/%s is out of date: run go generate ./pkg/surface/demo", name)
		}
	}
}

func TestSampleHasItsShape(t *testing.T) {
	t.Parallel()
	data := Sample()
	topics, multiple := map[string]int{}, 0
	for _, item := range data.Items {
		topics[item.Topic]++
		if item.Multiple {
			multiple++
		}
	}
	got := []int{len(data.Items), multiple, len(topics), len(data.Persons)}
	if diff := cmp.Diff([]int{32, 10, 6, DefaultPersons}, got); diff != "" {
		t.Errorf("items, multiple, topics, persons (-want +got):\n%s", diff)
	}
	if !hasTimes(data) || !cmp.Equal(data.GroupColumns, []string{"group"}) {
		t.Errorf("times %v, groups %q; want times and one group column", hasTimes(data), data.GroupColumns)
	}
}

// The two languages of a question are one question: everything except texts must be equal.
func TestSampleQuestionsAgreeInBothLanguages(t *testing.T) {
	t.Parallel()
	questions, err := readTable(sampleFiles(), "questions.csv")
	if err != nil {
		t.Fatal(err)
	}
	type facts struct {
		Type, Key, Weight, Terms string
		Options                  int
	}
	byLanguage := map[string]map[string]facts{"en": {}, "de": {}}
	for _, r := range questions.rows {
		known, ok := byLanguage[r.cell("lang")]
		if !ok {
			t.Fatalf("line %d: unknown language %q", r.line, r.cell("lang"))
		}
		for _, column := range []string{"stem", "optionA", "explanation"} {
			if r.cell(column) == "" {
				t.Errorf("line %d: %s is empty", r.line, column)
			}
		}
		known[r.cell("externalId")] = facts{r.cell("qtype"), r.cell("correct"), r.cell("weight"), r.cell("terms"), countOptions(r)}
	}
	if diff := cmp.Diff(byLanguage["en"], byLanguage["de"]); diff != "" {
		t.Errorf("English and German (-en +de):\n%s", diff)
	}
}
