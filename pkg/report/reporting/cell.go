package reporting

import (
	"strings"
	"time"

	"assess/pkg/kernel/wire"
)

// Tame makes a cell of somebody's words: it keeps a spreadsheet from taking them for a
// formula. Nothing reads these files back in, so that an apostrophe more does no harm.
func Tame(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}

// OrEmpty makes a cell of a text that may be missing.
func OrEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// Instant makes a cell of a time, as the JSON of the interface writes it.
func Instant(t *time.Time) string {
	if t == nil {
		return ""
	}
	return wire.Instant(*t)
}
