package content

import "strings"

// Bounds of a Markdown source. A parser needs quadratic time and memory for sources
// that are nothing but markup: every row of a table is filled up to the columns of its
// head, and every unclosed mark is tried again. Writing of any kind stays far below.
const (
	maxMarkdownLines   = 20_000
	maxMarkdownMarks   = 20_000
	maxMarkdownCells   = 200_000
	maxMarkdownNesting = 64
)

func tooMuchMarkup(src string) bool {
	lines := 1 + strings.Count(src, "\n") + strings.Count(src, "\r")
	if len(src) > MaxLocaleBytes || lines > maxMarkdownLines || inlineMarksOf(src) > maxMarkdownMarks {
		return true
	}
	for line := range strings.SplitSeq(src, "\n") {
		if lines*strings.Count(line, "|") > maxMarkdownCells || containersOf(line) > maxMarkdownNesting {
			return true
		}
	}
	return false
}

func inlineMarksOf(src string) int {
	n := 0
	for _, mark := range []string{"[", "*", "_", "~", "`"} {
		n += strings.Count(src, mark)
	}
	return n
}

// containersOf counts the quotation and list marks that a line begins with. Hyphens and
// asterisks are left out: a row of them is a rule.
func containersOf(line string) int {
	marks := strings.TrimLeft(line, " \t>+-*0123456789.)")
	leading := line[:len(line)-len(marks)]
	return strings.Count(leading, ">") + strings.Count(leading, "+") + strings.Count(leading, ". ") + strings.Count(leading, ") ")
}
