package authoring_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/scoring"
)

func TestAnAreaIsPartOfThePictureOfTheStem(t *testing.T) {
	t.Parallel()
	picture := json.RawMessage(`{"defaultLocale":"en","locales":{"en":{"schemaVersion":"passage-rich-content/v1","type":"doc","blocks":[{"type":"paragraph","children":[{"text":"Where?"}]},
		{"type":"image","assetId":"0190b3c4-0000-7000-8000-000000000001","alt":"A map"}]}}}`)
	for name, c := range map[string]struct {
		qtype scoring.QType
		stem  json.RawMessage
		area  authoring.Area
		want  string
	}{
		"rect":            {scoring.MCQ, picture, authoring.Area{Shape: "rect", Coords: []int{0, 10, 500, 1000}}, ""},
		"circle":          {scoring.MRQ, picture, authoring.Area{Shape: "circle", Coords: []int{500, 500, 1}}, ""},
		"poly":            {scoring.MCQ, picture, authoring.Area{Shape: "poly", Coords: []int{0, 0, 10, 0, 10, 10}}, ""},
		"no shape":        {scoring.MCQ, picture, authoring.Area{Coords: []int{0, 0, 1, 1}}, "options[0].area.shape out_of_range"},
		"three corners":   {scoring.MCQ, picture, authoring.Area{Shape: "rect", Coords: []int{0, 0, 1}}, "options[0].area.coords out_of_range"},
		"half a corner":   {scoring.MCQ, picture, authoring.Area{Shape: "poly", Coords: []int{0, 0, 10, 0, 10, 10, 5}}, "options[0].area.coords out_of_range"},
		"out of it":       {scoring.MCQ, picture, authoring.Area{Shape: "rect", Coords: []int{0, 0, 1001, 1}}, "options[0].area.coords out_of_range"},
		"inside out":      {scoring.MCQ, picture, authoring.Area{Shape: "rect", Coords: []int{5, 5, 5, 9}}, "options[0].area.coords out_of_range"},
		"no radius":       {scoring.MCQ, picture, authoring.Area{Shape: "circle", Coords: []int{5, 5, 0}}, "options[0].area.coords out_of_range"},
		"no picture":      {scoring.MCQ, sample.Content("Where?", "Wo?"), authoring.Area{Shape: "circle", Coords: []int{5, 5, 1}}, "options[0].area no_picture"},
		"of another type": {scoring.Order, picture, authoring.Area{Shape: "circle", Coords: []int{5, 5, 1}}, "options[0].area unsupported"},
	} {
		in := sample.QuestionInput("A")
		in.QType, in.Stem, in.Options[0].Area = c.qtype, c.stem, &c.area
		if c.qtype == scoring.Order {
			in.Options[0].IsCorrect, in.Scoring = false, &authoring.QuestionScoring{Order: []string{"A", "B", "C", "D"}}
		}
		var got []string
		for _, f := range in.Problems("") {
			got = append(got, f.Path+" "+f.Code)
		}
		if said := strings.Join(got, ", "); said != c.want {
			t.Errorf("%s: %q, want %q", name, said, c.want)
		}
	}
}

// Without areas, a body has the hash that it had before there were any (old_hashes_test.go); with one, every station shows it.
func TestAnAreaIsShownAndFrozen(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := sample.QuestionInput("A")
	in.Options[0].Area = &authoring.Area{Shape: "circle", Coords: []int{5, 5, 1}}
	q := must(t, b, authoring.CreateQuestion, in)
	if diff := cmp.Diff(in.Options[0].Area, q.In("en").Draft.Options[0].Area); diff != "" {
		t.Errorf("shown (-want +got)\n%s", diff)
	}
	_, err := write(t, b, authoring.PublishQuestion, q.ID)
	wantFields(t, err, errs.PublishBlocked, "options[0].area no_picture")
}
