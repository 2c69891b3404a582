package table_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/table"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

func TestOnlyWhatTheServiceTakesIsWritten(t *testing.T) {
	t.Parallel()
	two := func() []bank.Option {
		o := bank.PlainOptions([]string{"a", "b"})
		o[1].Correct = true
		return o
	}
	odd := two()
	odd[0].ID, odd[1].ID = "an id with spaces", strings.Repeat("x", 40)
	area := two()
	area[0].Area = &bank.Area{Shape: "rect"}
	gapped := bank.Item{Kind: bank.Gap, Stem: []content.Block{{Type: content.Paragraph, Children: []content.Text{bank.GapOf("g1")}}},
		Key: bank.Key{Gaps: []bank.GapKey{{ID: "g1", Kind: bank.GapTyped, Accepted: []string{"a"}}}}}
	math := []content.Block{{Type: content.Paragraph, Children: []content.Text{{Text: "x^2", Marks: []content.Mark{{Type: content.Math}}}}}}
	image := []content.Block{{Type: content.Image, AssetID: "a.png", Alt: "A leaf"}}
	for name, c := range map[string]struct {
		it   bank.Item
		want string // the class of the loss, or part of the line
	}{
		"mcq":        {bank.Item{Kind: scoring.MCQ, Stem: bank.Paragraph("Q"), Options: two()}, `"isCorrect":true`},
		"odd ids":    {bank.Item{Kind: scoring.MCQ, Stem: bank.Paragraph("Q"), Options: odd}, `"id":"B"`},
		"survey":     {bank.Item{Kind: scoring.MCQ, Stem: bank.Paragraph("Q"), Options: bank.PlainOptions([]string{"a", "b"}), Unscored: true}, `"contributesToScore":false`},
		"no key":     {bank.Item{Kind: scoring.MCQ, Stem: bank.Paragraph("Q"), Options: bank.PlainOptions([]string{"a", "b"})}, "!one_correct_option"},
		"one option": {bank.Item{Kind: scoring.MCQ, Stem: bank.Paragraph("Q"), Options: two()[1:]}, "!too_few_options"},
		"areas":      {bank.Item{Kind: scoring.MCQ, Stem: bank.Paragraph("Q"), Options: area}, "!unsupported_interaction"},
		"gap":        {gapped, `"acceptedAnswers":["a"]`},
		"no place":   {bank.Item{Kind: bank.Gap, Stem: bank.Paragraph("Q"), Key: gapped.Key}, "!gap_not_in_stem"},
		"passage":    {bank.Item{Kind: bank.Passage, Stem: bank.Paragraph("Q")}, "!unsupported_interaction"},
		"formula":    {bank.Item{Kind: scoring.Essay, Stem: math}, `"type":"math"`},
		"picture":    {bank.Item{Kind: scoring.Essay, Stem: image}, `[A leaf]`},
		"category":   {bank.Item{Kind: scoring.Essay, Stem: bank.Paragraph("Q"), Category: []string{"A; b", "C"}}, "category:A, b / C"},
	} {
		c.it.ID = name
		var out bytes.Buffer
		w := table.NewWriter(&out)
		if err := w.Add(&c.it); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&out).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if code, refused := strings.CutPrefix(c.want, "!"); refused {
			found := ""
			for _, n := range c.it.Notices {
				found += string(n.Code)
			}
			for _, p := range c.it.Problems {
				found += p.Code
			}
			if len(lines) != 1 || !strings.Contains(found, code) {
				t.Errorf("%s: %q, %s", name, lines, found)
			}
			continue
		}
		if len(lines) != 2 || !strings.Contains(strings.Join(lines[1], "|"), c.want) {
			t.Errorf("%s: %q %v", name, lines, c.it.Problems)
		}
	}
}
