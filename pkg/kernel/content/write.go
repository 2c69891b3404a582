package content

import (
	"bytes"
	"encoding/json"
	"strings"
)

// ToPlain gives the text from which FromPlain makes exactly this payload; false when there
// is none, such as for text with marks.
func ToPlain(p Payload) (string, bool) {
	paragraphs := make([]string, 0, len(p.Blocks))
	for _, b := range p.Blocks {
		if b.Type != Paragraph || len(b.Children) != 1 || len(b.Children[0].Marks) > 0 {
			return "", false
		}
		paragraphs = append(paragraphs, b.Children[0].Text)
	}
	text := strings.Join(paragraphs, "\n\n")
	return text, p.comesFrom(FromPlain, text)
}

// ToMarkdown gives CommonMark from which FromMarkdown makes exactly this payload; false
// when there is none, such as for underlined text, images and tables with a caption of
// their own.
func ToMarkdown(p Payload) (string, bool) {
	w := markdownWriter{}
	w.blocks(p.Blocks)
	text := w.String()
	return text, p.comesFrom(FromMarkdown, text)
}

// comesFrom tries it out: nothing judges the written text better than the reader. Space
// around the text must not matter, since a cell of a table does not keep it.
func (p Payload) comesFrom(read func(locale, text string) Document, text string) bool {
	if text != strings.TrimSpace(text) {
		return false
	}
	again := read("en", text).Locales["en"]
	wanted, err := json.Marshal(p)
	if err != nil {
		return false
	}
	got, err := json.Marshal(again)
	return err == nil && bytes.Equal(wanted, got)
}
