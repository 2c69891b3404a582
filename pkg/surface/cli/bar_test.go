package cli

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"

	"assess/pkg/dev/golden"
)

func TestBars(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	counts := []Count{{"0–10", 3, 0.03}, {"日本", 1200, 0.9}, {"rest\x1b[31m", 0, 0}}
	for _, screen := range []*Screen{{Unicode: true}, {}, {Unicode: true, Width: 40}} {
		for _, share := range []float64{0, 0.01, 0.33, 0.5, 1, 7, -1, math.NaN()} {
			fmt.Fprintf(&out, "%5v |%s|\n", share, screen.Bar(share, 10))
		}
		fmt.Fprint(&out, screen.Histogram(counts))
		fmt.Fprintf(&out, "|%s|%s|\n", screen.Heights([]float64{0, 2, 8}), screen.Heights([]float64{4, 4, 2}))
		fmt.Fprintf(&out, "|%s|%s|%s|\n\n", screen.Sparkline([]float64{1, 2, math.NaN(), 8, 4}), screen.Sparkline([]float64{5, 5}), screen.Sparkline(nil))
	}
	golden.Check(t, out.Bytes(), "testdata/bars.txt")
}

func TestHistogramOfNothing(t *testing.T) {
	t.Parallel()
	screen := &Screen{Unicode: true}
	want := "A  " + pad("", 40) + "  0    0.0 %\n"
	if got := screen.Histogram([]Count{{Label: "A"}}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBarWidthAndOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		screen := &Screen{Unicode: rapid.Bool().Draw(t, "unicode")}
		width := rapid.IntRange(1, 80).Draw(t, "width")
		less, more := rapid.Float64Range(0, 1).Draw(t, "a"), rapid.Float64Range(0, 1).Draw(t, "b")
		less, more = min(less, more), max(less, more)
		short, long := screen.Bar(less, width), screen.Bar(more, width)
		if displaywidth.String(short) != width || displaywidth.String(long) != width {
			t.Fatalf("%q and %q are not %d columns wide", short, long, width)
		}
		if filled(short) > filled(long) {
			t.Fatalf("%v draws as %q, longer than %q of %v", less, short, long, more)
		}
	})
}

// filled measures a bar in eighths of a column.
func filled(bar string) int {
	eighths := map[rune]int{'█': 8, '▉': 7, '▊': 6, '▋': 5, '▌': 4, '▍': 3, '▎': 2, '▏': 1, '#': 8}
	sum := 0
	for _, r := range bar {
		sum += eighths[r]
	}
	return sum
}
