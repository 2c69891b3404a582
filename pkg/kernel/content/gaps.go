package content

import "strings"

// GapPlace is a gap of a text: its id, and the words before it in its paragraph, line or cell.
type GapPlace struct{ Ref, Before string }

// Gaps gives the gaps of a payload in the order of the text.
func (p Payload) Gaps() []GapPlace {
	var all []GapPlace
	for _, b := range p.Blocks {
		all = gapsOfTexts(all, b.Children)
		all = gapsOfItems(all, b.Items)
		for _, row := range b.Rows {
			for _, cell := range row.Cells {
				all = gapsOfTexts(all, cell.Children)
			}
		}
	}
	return all
}

// HasGaps says whether a text of any locale has a gap.
func (d Document) HasGaps() bool {
	for _, p := range d.Locales {
		if len(p.Gaps()) > 0 {
			return true
		}
	}
	return false
}

func gapsOfItems(all []GapPlace, items []ListItem) []GapPlace {
	for _, item := range items {
		all = gapsOfItems(gapsOfTexts(all, item.Children), item.Items)
	}
	return all
}

func gapsOfTexts(all []GapPlace, texts []Text) []GapPlace {
	for i, t := range texts {
		for _, m := range t.Marks {
			if m.Type == Gap {
				all = append(all, GapPlace{m.Ref, strings.TrimSpace(joinTexts(texts[:i]))})
			}
		}
	}
	return all
}
