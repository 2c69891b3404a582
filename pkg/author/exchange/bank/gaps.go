package bank

import (
	"slices"
	"strings"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// GapOf is the text node that stands for a gap.
func GapOf(id string) content.Text {
	return content.Text{Text: GapText, Marks: []content.Mark{{Type: GapMark, Href: id}}}
}

// FillGap takes answers with their shares, in hundredths, as those of a gap to type; it says what they lose.
func (it *Item) FillGap(g *GapKey, answers []string, shares []float64) {
	one := Item{}
	one.Accept(answers, shares)
	g.Kind, g.Accepted = GapTyped, one.Accepted
	for _, n := range one.Notices {
		it.Lose(n.Code)
	}
}

// ChooseGap makes a gap of options to choose from, of which those with all the points are right.
func (it *Item) ChooseGap(g *GapKey, options []Option, shares []float64) {
	g.Kind, g.Options = GapChoice, options
	for i, s := range shares {
		switch {
		case near(s, 100):
			g.Right = append(g.Right, options[i].ID)
		case s > 0:
			it.Lose(PartialAnswer)
		case s < 0:
			it.Lose(NegativeFraction)
		}
	}
}

// GapsDone makes the item one of gaps.
func (it *Item) GapsDone() {
	it.Kind = Gap
	if it.Method == "" {
		it.Method = scoring.Partial
	}
	if len(it.Gaps) == 0 {
		it.Refuse(Incomplete, "the text has no gap")
	}
}

// PlainOptions makes options of texts.
func PlainOptions(texts []string) []Option {
	options := make([]Option, len(texts))
	for i, t := range texts {
		options[i] = Option{ID: Letter(i), Content: Paragraph(strings.TrimSpace(t))}
	}
	return options
}

// Pooled says that all gaps are filled out of the pool.
func (it *Item) Pooled() bool {
	return !slices.ContainsFunc(it.Gaps, func(g GapKey) bool { return g.Kind != GapPool })
}
