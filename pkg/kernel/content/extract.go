package content

import (
	"maps"
	"slices"
	"strings"
)

// PlainText gives the plain-text extract of every locale: blocks parted by a blank
// line, list items by line feeds, cells by tabs; captions and alternative texts
// included.
func (d Document) PlainText() map[string]string {
	extracts := make(map[string]string, len(d.Locales))
	for locale, payload := range d.Locales {
		extracts[locale] = payload.PlainText()
	}
	return extracts
}

// PlainText gives the plain-text extract of one payload.
func (p Payload) PlainText() string {
	var parts []string
	for _, b := range p.Blocks {
		text := b.plainText()
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n")
}

func (b Block) plainText() string {
	switch b.Type {
	case List:
		return strings.Join(itemLines(b.Items), "\n")
	case Table:
		return strings.Join(tableLines(b), "\n")
	case Image:
		return b.Alt
	default:
		return joinTexts(b.Children)
	}
}

func itemLines(items []ListItem) []string {
	var lines []string
	for _, item := range items {
		lines = append(lines, joinTexts(item.Children))
		lines = append(lines, itemLines(item.Items)...)
	}
	return lines
}

func tableLines(b Block) []string {
	lines := []string{b.Caption}
	for _, row := range b.Rows {
		cells := make([]string, 0, len(row.Cells))
		for _, cell := range row.Cells {
			cells = append(cells, joinTexts(cell.Children))
		}
		lines = append(lines, strings.Join(cells, "\t"))
	}
	return lines
}

func joinTexts(texts []Text) string {
	var b strings.Builder
	for _, text := range texts {
		b.WriteString(text.Text)
	}
	return b.String()
}

// Assets lists the ids of the managed assets in all locales, sorted, each once.
func (d Document) Assets() []string {
	found := map[string]bool{}
	for _, payload := range d.Locales {
		for _, b := range payload.Blocks {
			if b.Type == Image {
				found[b.AssetID] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
