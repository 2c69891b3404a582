package content

import (
	"strings"
	"unicode"
)

// escaper writes one text as CommonMark that means just this text.
type escaper struct {
	text string
	// lineStart says that the text begins a line.
	lineStart bool
	// tightFirst and tightLast say that space at that end would not stay what it is.
	tightFirst, tightLast bool
	// guardFirst and guardLast say that a letter at that end must count as punctuation.
	guardFirst, guardLast bool
}

// formulaSigns are what formulas of spreadsheets begin with; wideSigns do so in the full width of East Asia.
const (
	formulaSigns = "=+-@"
	wideSigns    = "＝＋－＠"
)

// special are the characters that mean something anywhere; startSpecial, at the start of a
// line; endSpecial, at the end of a text.
const (
	special      = "\\`*_[]<>&~|"
	startSpecial = "#+-=:"
	endSpecial   = "#!"
)

func (e escaper) escape() string {
	runes := []rune(e.text)
	var b strings.Builder
	start := e.lineStart
	for i, r := range runes {
		first, last := i == 0, i == len(runes)-1
		beforeBreak := !last && runes[i+1] == '\n'
		// A spreadsheet may begin a cell here, which must be no formula.
		cellStart := start || strings.HasSuffix(b.String(), ";")
		switch {
		case r == '\n' && !start && !first && !last && !beforeBreak:
			b.WriteString("\\\n")
			start = true
			continue
		case unicode.IsSpace(r) && (r != ' ' || start || beforeBreak || (first && e.tightFirst) || (last && e.tightLast)),
			isLetter(r) && ((first && e.guardFirst) || (last && e.guardLast)),
			cellStart && strings.ContainsRune(wideSigns, r),
			// The parser takes no line break after an escaped backslash.
			r == '\\' && beforeBreak:
			b.WriteString(reference(r))
		case strings.ContainsRune(special, r), start && strings.ContainsRune(startSpecial, r), cellStart && strings.ContainsRune(formulaSigns, r), last && strings.ContainsRune(endSpecial, r),
			(r == '.' || r == ')') && isNumber(runes, i):
			b.WriteString("\\" + string(r))
		default:
			b.WriteRune(r)
		}
		start = false
	}
	return b.String()
}

func isLetter(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsPunct(r) && !unicode.IsSymbol(r) }

// isNumber says whether a line has nothing but digits before place i: the number of a list.
func isNumber(runes []rune, i int) bool {
	j := i
	for j > 0 && runes[j-1] >= '0' && runes[j-1] <= '9' {
		j--
	}
	return j < i && (j == 0 || runes[j-1] == '\n')
}
