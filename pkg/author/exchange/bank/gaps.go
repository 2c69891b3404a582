package bank

import (
	"math"
	"slices"
	"strings"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

// GapOf is the text node of a gap.
func GapOf(id string) content.Text {
	return content.Text{Text: content.GapText, Marks: []content.Mark{{Type: content.Gap, Ref: id}}}
}

// FillGap takes answers with their shares, in hundredths, as the answers of a gap to type; it notes what they lose.
func (it *Item) FillGap(g *GapKey, answers []string, shares []float64) {
	one := Item{Locale: it.Locale}
	one.Accept(answers, shares)
	g.Kind, g.Accepted = GapTyped, one.Accepted
	for _, n := range one.Notices {
		it.Lose(n.Code)
	}
}

// ChooseGap makes a gap of options to choose from; the options with all the points are right.
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

// GapsDone makes the item a gap item.
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

// weighGaps makes the weights of gaps whole numbers, the smallest in the same proportion; a weight of 1 is left out.
func (it *Item) weighGaps() {
	least, most := math.Inf(1), 0.0
	weight := func(g GapKey) float64 {
		if g.Weight == nil {
			return 1
		}
		return *g.Weight
	}
	for _, g := range it.Gaps {
		least, most = min(least, weight(g)), max(most, weight(g))
	}
	times := 0.0
	for n := 1.0; least > 0 && n*most/least <= scoring.MaxGapWeight; n++ {
		if !slices.ContainsFunc(it.Gaps, func(g GapKey) bool { return !whole(n * weight(g) / least) }) {
			times = n / least
			break
		}
	}
	if times == 0 && most > 0 {
		times = scoring.MaxGapWeight / most
		it.Lose(MappingChanged, "the weights of gaps are rounded")
	}
	for i := range it.Gaps {
		now := max(math.Round(times*weight(it.Gaps[i])), 1)
		it.Gaps[i].Weight = nil
		if now > 1 {
			it.Gaps[i].Weight = &now
		}
	}
}

// whole allows for thirds that are cut after some decimals.
func whole(x float64) bool { return math.Abs(x-math.Round(x)) < 1e-3 }

// Pooled says that all gaps are filled out of the pool.
func (it *Item) Pooled() bool {
	return !slices.ContainsFunc(it.Gaps, func(g GapKey) bool { return g.Kind != GapPool })
}

// marks gives the gap marks of content in the order of the text.
func marks(blocks []content.Block) []*content.Mark {
	var found []*content.Mark
	texts := func(list []content.Text) {
		for _, t := range list {
			for i := range t.Marks {
				if t.Marks[i].Type == content.Gap {
					found = append(found, &t.Marks[i])
				}
			}
		}
	}
	var items func(list []content.ListItem)
	items = func(list []content.ListItem) {
		for _, i := range list {
			texts(i.Children)
			items(i.Items)
		}
	}
	for _, b := range blocks {
		texts(b.Children)
		items(b.Items)
		for _, row := range b.Rows {
			for _, cell := range row.Cells {
				texts(cell.Children)
			}
		}
	}
	return found
}

// orderGaps puts gaps in the order of the text, and numbers them in it. Each has one place there.
func (it *Item) orderGaps() {
	ordered := make([]GapKey, 0, len(it.Gaps))
	seen := map[string]bool{}
	places := marks(it.Stem)
	for _, m := range places {
		i := slices.IndexFunc(it.Gaps, func(g GapKey) bool { return g.ID == m.Ref })
		if i < 0 || seen[m.Ref] {
			it.Refuse(Incomplete, "gap "+m.Ref+" stands twice in the text, or has no key")
			return
		}
		seen[m.Ref] = true
		ordered = append(ordered, it.Gaps[i])
	}
	if len(ordered) != len(it.Gaps) {
		it.Refuse(Incomplete, "a gap has no place in the text")
		return
	}
	for i := range ordered {
		ordered[i].ID = Numbered("g", i+1)
		places[i].Ref = ordered[i].ID
	}
	it.Gaps = ordered
}
