package cli

import (
	"slices"
	"strings"
	"unicode"

	"github.com/clipperhouse/displaywidth"
	"github.com/google/uuid"
)

// narrowest is the width below which no column is squeezed.
const narrowest = 8

// clean removes control characters: names come from strangers, and a terminal obeys
// everything it receives.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
}

// tight says whether columns of these widths need more than the screen has.
func tight(widths []int, screen int) bool {
	total := 0
	for _, w := range widths {
		total += w + len(gap)
	}
	return screen > 0 && total > screen
}

// fit takes columns from the widest ones until the table is not wider than the screen. No column becomes narrower than its floor:
// where that does not do, the table is wider.
func fit(widths, floors []int, screen int) []int {
	room := screen - len(gap)*len(widths)
	total := 0
	for _, w := range widths {
		total += w
	}
	for ; screen > 0 && total > room; total-- {
		widest := -1
		for i, w := range widths {
			if w > floors[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}

// wrap breaks a text into lines of at most width columns: between words, and inside a
// word that is longer than a line. A text that fits keeps its blanks.
func wrap(text string, width int) []string {
	if displaywidth.String(text) <= width {
		return []string{text}
	}
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		longer := strings.TrimPrefix(lines[last]+" "+word, " ")
		if displaywidth.String(longer) <= width {
			lines[last] = longer
			continue
		}
		lines = slices.Concat(lines, chop(word, width))
	}
	if lines[0] == "" && len(lines) > 1 {
		return lines[1:]
	}
	return lines
}

// floor is how narrow a column of a text may become: an id in pieces cannot be copied.
func floor(text string) int {
	for word := range strings.FieldsSeq(text) {
		if isUUID(word) {
			return len(word)
		}
	}
	return narrowest
}

func isUUID(word string) bool { return len(word) == 36 && uuid.Validate(word) == nil }

// chop cuts a word into pieces of at most width columns, and neither a character nor an id in two.
func chop(word string, width int) []string {
	if isUUID(word) {
		return []string{word}
	}
	pieces := []string{""}
	for characters := displaywidth.StringGraphemes(word); characters.Next(); {
		last := len(pieces) - 1
		longer := pieces[last] + characters.Value()
		if pieces[last] != "" && displaywidth.String(longer) > width {
			pieces = append(pieces, characters.Value())
			continue
		}
		pieces[last] = longer
	}
	return pieces
}
