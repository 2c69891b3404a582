package reporting

import (
	"strconv"
	"time"

	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
)

// OrEmpty makes a cell of a text that may be missing.
func OrEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func idOrEmpty(id *ids.ID) string {
	if id == nil {
		return ""
	}
	return id.String()
}

func numberOrEmpty(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// Instant makes a cell of a time, as the JSON of the interface writes it.
func Instant(t *time.Time) string {
	if t == nil {
		return ""
	}
	return wire.Instant(*t)
}

// Count makes a cell of a number.
func Count(n int64) string { return strconv.FormatInt(n, 10) }

// Known makes a cell of a whole number; an unknown one is empty.
func Known(ms *int64) string {
	if ms == nil {
		return ""
	}
	return Count(*ms)
}

// Figure writes a number in full; an unknown one is an empty cell.
func Figure(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}
