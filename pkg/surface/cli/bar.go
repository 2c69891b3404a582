package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"assess/pkg/kernel/wire"

	"github.com/clipperhouse/displaywidth"
)

// Bar draws a share of 0 to 1 in a fixed number of columns, with eighths of a column
// where the screen has them. Not a number draws as empty.
func (s *Screen) Bar(share float64, width int) string {
	if !(share > 0) {
		share = 0
	}
	exact := min(share, 1) * float64(width)
	if !s.Unicode {
		return pad(strings.Repeat("#", int(math.Round(exact))), width)
	}
	eighths := int(math.Round(exact * 8))
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune(" ▏▎▍▌▋▊▉")[rest])
	}
	return pad(bar, width)
}

// Count is one line of a histogram; Share is its part of the whole, 0 to 1.
type Count struct {
	Label string
	Count int64
	Share float64
}

// Histogram draws one line a count: label, bar, count and share. The longest bar is the
// greatest share.
func (s *Screen) Histogram(counts []Count) string {
	labels, digits, greatest := 0, 0, 0.0
	for _, c := range counts {
		labels = max(labels, displaywidth.String(clean(c.Label)))
		digits = max(digits, len(strconv.FormatInt(c.Count, 10)))
		greatest = max(greatest, c.Share)
	}
	width := 40
	if s.Width > 0 {
		width = max(8, min(width, s.Width-labels-digits-len("      100.0 %")))
	}
	var b strings.Builder
	for _, c := range counts {
		bar := s.Bar(c.Share/greatest, width)
		fmt.Fprintf(&b, "%s  %s  %*d  %7s\n", pad(clean(c.Label), labels), bar, digits, c.Count, wire.Percent(c.Share))
	}
	return b.String()
}

// Sparkline draws a series in one line, a column a value, from the least to the greatest.
// Not a number leaves a gap.
func (s *Screen) Sparkline(values []float64) string { return s.inOneLine(values, math.Inf(1)) }

// Heights draws counts in one line, a column a value, from nothing to the greatest.
func (s *Screen) Heights(values []float64) string { return s.inOneLine(values, 0) }

func (s *Screen) inOneLine(values []float64, least float64) string {
	levels := []rune("_.-=*#")
	if s.Unicode {
		levels = []rune("▁▂▃▄▅▆▇█")
	}
	greatest := math.Inf(-1)
	for _, v := range values {
		if !math.IsNaN(v) {
			least, greatest = min(least, v), max(greatest, v)
		}
	}
	var b strings.Builder
	for _, v := range values {
		b.WriteRune(level(levels, v, least, greatest))
	}
	return b.String()
}

func level(levels []rune, v, least, greatest float64) rune {
	switch {
	case math.IsNaN(v):
		return ' '
	case least == greatest:
		return levels[len(levels)/2]
	}
	return levels[int(math.Round((v-least)/(greatest-least)*float64(len(levels)-1)))]
}

// pad fills up to a width in columns of the terminal.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-displaywidth.String(text)))
}
