package sheet

import (
	"regexp"
	"strings"
)

// Spreadsheets take a cell for a formula that begins with one of these, whole or behind what parts cells
// in another country.
const (
	formulaSigns = "=+-@＝＋－＠"
	partings     = ";\t\n\r"
)

// number matches text that is no formula although it begins with a sign.
var number = regexp.MustCompile(`^[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?%?$`)

// Tame puts an apostrophe before anything that a spreadsheet would take for a formula. Numbers stay as they
// are. A formula that has apostrophes before it already gets one more, so that Untame gives each text back.
func Tame(cell string) string { return eachPart(cell, func(part string) string { return "'" + part }) }

// Untame takes away what Tame put there.
func Untame(cell string) string {
	return eachPart(cell, func(part string) string { return strings.TrimPrefix(part, "'") })
}

// eachPart changes the parts of a cell that are formulas, behind apostrophes or not.
func eachPart(cell string, change func(string) string) string {
	if !strings.ContainsAny(cell, formulaSigns) {
		return cell
	}
	var out strings.Builder
	for cell != "" {
		end := strings.IndexAny(cell, partings)
		if end < 0 {
			end = len(cell)
		}
		part := cell[:end]
		if bare := strings.TrimLeft(part, "'"); bare != "" && strings.ContainsRune(formulaSigns, []rune(bare)[0]) && !number.MatchString(bare) {
			part = change(part)
		}
		out.WriteString(part)
		if end < len(cell) {
			out.WriteByte(cell[end])
			end++
		}
		cell = cell[end:]
	}
	return out.String()
}
