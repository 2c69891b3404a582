package cli

import (
	"strconv"
	"time"

	"assess/pkg/kernel/wire"
)

// none is written where a figure has no value: a rate whose denominator is 0.
const none = "-"

// barWidth is the width of a bar inside a table.
const barWidth = 10

// percent writes a rate of 0 to 1 that may be unknown.
func percent(rate *float64) string {
	if rate == nil {
		return none
	}
	return wire.Percent(*rate)
}

// bar draws a rate with its figure, so that the bars of a column begin and end together.
func (s *Screen) bar(rate *float64, marks ...float64) string {
	if rate == nil {
		return pad("", barWidth) + leftPad(none, len("  100.0 %"))
	}
	return s.Bar(*rate, barWidth) + leftPad(wire.Percent(*rate, marks...), len("  100.0 %"))
}

// duration writes a time in milliseconds that may be unknown.
func duration(ms *int64) string {
	if ms == nil {
		return none
	}
	return wire.Duration(*ms)
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

// share is part over whole, 0 of nothing.
func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// asOf tells how fresh the figures of a report are.
func asOf(at time.Time, lagMs int64) string {
	text := "As of " + moment(at) + " UTC"
	if lagMs > 0 {
		text += ", " + (time.Duration(lagMs) * time.Millisecond).Round(time.Millisecond).String() + " behind"
	}
	return text + "."
}

func leftPad(text string, width int) string {
	return pad("", max(0, width-len(text))) + text
}

func badIf(bad bool) Colour {
	if bad {
		return Bad
	}
	return Plain
}

func goodIf(good bool) Colour {
	if good {
		return Good
	}
	return Faint
}
