package content

import (
	"slices"
	"strings"
)

// markdownWriter writes blocks as CommonMark. It aims at the one form from which
// FromMarkdown reads the same blocks; whether it hit is for ToMarkdown to check.
type markdownWriter struct {
	strings.Builder
	// indent goes before every line but the first.
	indent string
}

// line begins a new line.
func (w *markdownWriter) line() { w.WriteString("\n" + w.indent) }

func (w *markdownWriter) blocks(blocks []Block) {
	other := false
	for i, b := range blocks {
		if i > 0 {
			w.WriteString("\n")
			w.line()
		}
		// Another mark keeps a list apart from the one above.
		other = i > 0 && blocks[i-1].Type == List && !other
		switch b.Type {
		case Heading:
			w.heading(b)
		case List:
			w.list(b.Items, b.Ordered, other)
		case Table:
			w.table(b)
		default:
			w.paragraph(b.Children)
		}
	}
}

func (w *markdownWriter) heading(b Block) {
	w.WriteString(strings.TrimRight(strings.Repeat("#", b.Level)+" "+w.oneLine(b.Children), " "))
}

// paragraph writes code of several lines as a block, since a span has one line.
func (w *markdownWriter) paragraph(texts []Text) {
	if len(texts) == 1 && isCodeBlock(texts[0]) {
		w.codeBlock(texts[0].Text)
		return
	}
	lines := inlineMarkdown(texts)
	for i, line := range strings.Split(lines, "\n") {
		if i > 0 {
			w.line()
		}
		w.WriteString(line)
	}
}

func isCodeBlock(t Text) bool {
	return strings.Contains(t.Text, "\n") && slices.Equal(t.Marks, []Mark{{Type: Code}})
}

func (w *markdownWriter) codeBlock(code string) {
	fence := strings.Repeat("`", max(3, longestRun(code, '`')+1))
	w.WriteString(fence)
	for line := range strings.SplitSeq(code, "\n") {
		w.line()
		w.WriteString(line)
	}
	w.line()
	w.WriteString(fence)
}

func (w *markdownWriter) list(items []ListItem, ordered, other bool) {
	mark := map[[2]bool]string{{false, false}: "-", {false, true}: "*", {true, false}: "1.", {true, true}: "1)"}[[2]bool{ordered, other}]
	for i, item := range items {
		if i > 0 {
			w.line()
		}
		w.WriteString(mark)
		outer := w.indent
		w.indent += strings.Repeat(" ", len(mark)+1)
		w.item(item, other)
		w.indent = outer
	}
}

// item writes the text of an item, split where code of several lines comes between other
// lines, and the nested list under it. Marks alternate: three of one kind in a line would
// be a rule.
func (w *markdownWriter) item(item ListItem, other bool) {
	all := parts(item.Children)
	for i, part := range all {
		if i == 0 {
			w.WriteString(" ")
		} else {
			w.WriteString("\n")
			w.line()
		}
		w.paragraph(part)
	}
	switch {
	case len(item.Items) == 0:
		return
	case len(all) == 0:
		w.WriteString(" ")
	case len(item.Items[0].Children) == 0:
		// An empty item ends no paragraph.
		w.WriteString("\n")
		w.line()
	default:
		w.line()
	}
	w.list(item.Items, item.Ordered, !other)
}

// parts cuts text around code of several lines; the line feeds there are the ones between
// the blocks of an item.
func parts(texts []Text) [][]Text {
	var cut [][]Text
	var open []Text
	flush := func() {
		if len(open) > 0 {
			cut = append(cut, open)
		}
		open = nil
	}
	afterCode := false
	for i, t := range texts {
		if isCodeBlock(t) {
			flush()
			cut = append(cut, []Text{t})
			afterCode = true
			continue
		}
		if afterCode {
			t.Text = strings.TrimPrefix(t.Text, "\n")
		}
		if i+1 < len(texts) && isCodeBlock(texts[i+1]) {
			t.Text = strings.TrimSuffix(t.Text, "\n")
		}
		afterCode = false
		if t.Text != "" {
			open = append(open, t)
		}
	}
	flush()
	return cut
}

func (w *markdownWriter) table(b Block) {
	for i, row := range b.Rows {
		if i > 0 {
			w.line()
		}
		w.WriteString("|")
		for _, cell := range row.Cells {
			w.WriteString(" " + w.oneLine(cell.Children) + " |")
		}
		if i == 0 {
			w.line()
			w.WriteString("|" + strings.Repeat(" --- |", len(row.Cells)))
		}
	}
}

// oneLine writes text where no line may end.
func (w *markdownWriter) oneLine(texts []Text) string {
	return strings.ReplaceAll(inlineMarkdown(texts), "\\\n", "&#10;")
}

func longestRun(s string, of rune) int {
	longest, run := 0, 0
	for _, r := range s {
		if r != of {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
