package wire

import "strings"

// Tame makes a cell of a CSV file of somebody's words: it keeps a spreadsheet from taking them for
// a formula. It is for files that nothing reads back in, so that an apostrophe more does no harm.
func Tame(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
