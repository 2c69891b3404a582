package content

import "strings"

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// FromPlain makes a document of plain text: blank lines part paragraphs, and single
// line feeds stay line breaks within the one text node of a paragraph.
func FromPlain(locale, text string) Document {
	text = lineEnds.Replace(text)
	var blocks []Block
	var lines []string
	flush := func() {
		if len(lines) > 0 {
			blocks = append(blocks, textParagraph(strings.Join(lines, "\n")))
		}
		lines = nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t")
		if strings.TrimSpace(line) == "" {
			flush()
			continue
		}
		lines = append(lines, line)
	}
	flush()
	return newDocument(locale, blocks)
}

func textParagraph(text string, marks ...Mark) Block {
	return Block{Type: Paragraph, Children: []Text{{Text: text, Marks: marks}}}
}
