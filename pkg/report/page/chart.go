package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bar is a share inside a cell.
type Bar struct {
	Share float64
	Tone  Tone
}

// Width is the length of the bar in hundredths.
func (b Bar) Width() string { return px(100 * math.Min(math.Max(b.Share, 0), 1)) }

// Columns is a histogram: a column a count.
type Columns struct {
	Title, Axis string
	Labels      []string
	Values      []int64
	Tones       []Tone
	// Unknown marks columns without a value; nil means that all are known.
	Unknown []bool
	// Mark is a line at a share of the axis; nil: none.
	Mark *Mark
}

// Mark is a line across a chart with its word.
type Mark struct {
	Share float64
	Text  string
}

// X is where the line is.
func (m Mark) X() string { return px(chartW * m.Share) }

// Side says on which side of the line its word is, and At where it begins: the side with more room.
func (m Mark) Side() string {
	if m.Share > 0.5 {
		return "end"
	}
	return "start"
}

// At is the place of the word.
func (m Mark) At() string {
	if m.Share > 0.5 {
		return px(chartW*m.Share - 5)
	}
	return px(chartW*m.Share + 5)
}

// markH is the room for the word of a mark.
const markH = 16

// The measures of the charts, in units of their own: on a phone, 390 pixels wide, a unit is about a
// pixel, so that words of 12 units can be read there too.
const (
	chartW, columnsH, stackH, lineH = 360.0, 200.0, 24.0, 190.0
)

// W is the width of the chart.
func (Columns) W() string { return px(chartW) }

// H is the height.
func (Columns) H() string { return px(columnsH) }

// Base is the y of the foot of the columns.
func (Columns) Base() string { return px(columnsH - 40) }

// Half is the middle of the chart.
func (Columns) Half() string { return px(chartW / 2) }

// Foot is the y of the name of the axis.
func (Columns) Foot() string { return px(columnsH - 6) }

// Description says the figures in words.
func (c Columns) Description() string {
	if c.Mark != nil {
		return described(c.Labels, c.Values) + "; " + c.Mark.Text
	}
	return described(c.Labels, c.Values)
}

// Column is a column with the places of its words.
type Column struct {
	X, Y, Width, Height, Middle, Above string
	Label, Value                       string
	Tone                               Tone
	Tick                               *Tick
}

// Tick is a word at a place of an axis.
type Tick struct{ At, Y, Text, Anchor string }

// letterW is about the width of a digit.
const letterW = 7

// Drawn gives the columns. If there are many, not every column has its word below and its figure
// above; the table has them all.
func (c Columns) Drawn() []Column {
	greatest := int64(1)
	for _, v := range c.Values {
		greatest = max(greatest, v)
	}
	base, room := columnsH-40, columnsH-62
	if c.Mark != nil {
		room -= markH
	}
	step := chartW / float64(max(len(c.Values), 1))
	every := (longest(c.Labels)*letterW+4)*len(c.Labels)/int(chartW) + 1
	crowded := float64(len(strconv.FormatInt(greatest, 10))*letterW) > step
	var drawn []Column
	for i, v := range c.Values {
		height := room * float64(v) / float64(greatest)
		if v > 0 {
			height = max(height, 1.5)
		}
		column := Column{X: px(float64(i)*step + step*0.12), Y: px(base - height), Width: px(step * 0.76), Height: px(height),
			Middle: px((float64(i) + 0.5) * step), Above: px(base - height - 5), Label: c.Labels[i], Value: strconv.FormatInt(v, 10)}
		if i < len(c.Tones) {
			column.Tone = c.Tones[i]
		}
		if i < len(c.Unknown) && c.Unknown[i] {
			column.Value = none
		}
		if crowded && v < greatest {
			column.Above = ""
		}
		if i%every == 0 {
			column.Tick = &Tick{At: column.Middle, Y: px(base + 16), Text: c.Labels[i]}
		}
		drawn = append(drawn, column)
	}
	return drawn
}

// Stack is one bar that shows how a whole is made up.
type Stack struct {
	Title  string
	Labels []string
	Values []int64
	Tones  []Tone
}

// Legend says what the colours are, and how many of each there are.
func (s Stack) Legend() []Share {
	var all []Share
	for i, v := range s.Values {
		if v > 0 {
			all = append(all, Share{s.Labels[i], v, s.Tones[i]})
		}
	}
	return all
}

// Share is a part of a stack.
type Share struct {
	Label string
	Value int64
	Tone  Tone
}

// W is the width.
func (Stack) W() string { return px(chartW) }

// H is the height.
func (Stack) H() string { return px(stackH) }

// Description says the figures in words.
func (s Stack) Description() string { return described(s.Labels, s.Values) }

// Drawn gives the parts that there are, side by side.
func (s Stack) Drawn() []Column {
	total := int64(0)
	for _, v := range s.Values {
		total += v
	}
	at := 0.0
	var drawn []Column
	for i, v := range s.Values {
		if v == 0 {
			continue
		}
		width := chartW * float64(v) / float64(total)
		drawn = append(drawn, Column{X: px(at), Width: px(max(width-1, 1)), Label: s.Labels[i], Value: strconv.FormatInt(v, 10), Tone: s.Tones[i]})
		at += width
	}
	return drawn
}

// Line is a series of rates over time; nil leaves a gap.
type Line struct {
	Title  string
	Labels []string
	Values []*float64
}

// The measures of the area inside the axes.
const lineLeft, lineRight, lineTop, lineBase = 48.0, chartW - 12, 12.0, lineH - 30

// W is the width.
func (Line) W() string { return px(chartW) }

// H is the height.
func (Line) H() string { return px(lineH) }

// Left is where the area begins.
func (Line) Left() string { return px(lineLeft) }

// Right is where it ends.
func (Line) Right() string { return px(lineRight) }

// Tip is where the words of the axis end.
func (Line) Tip() string { return px(lineLeft - 8) }

// Description says the figures in words.
func (l Line) Description() string {
	var words []string
	for i, v := range l.Values {
		words = append(words, l.Labels[i]+": "+percent(v))
	}
	return strings.Join(words, ", ")
}

// GridLine is a line of the grid with its word.
type GridLine struct{ Y, At, Text string }

// Grid gives lines at quarters.
func (Line) Grid() []GridLine {
	var lines []GridLine
	for _, at := range []float64{0, 0.25, 0.5, 0.75, 1} {
		y := heightOf(at)
		lines = append(lines, GridLine{px(y), px(y + 4), strconv.Itoa(int(at*100)) + " %"})
	}
	return lines
}

func heightOf(rate float64) float64 {
	return lineBase - (lineBase-lineTop)*math.Min(math.Max(rate, 0), 1)
}

func (l Line) place(i int) float64 {
	if len(l.Values) < 2 {
		return (lineLeft + lineRight) / 2
	}
	return lineLeft + (lineRight-lineLeft)*float64(i)/float64(len(l.Values)-1)
}

// Dot is a point of the series.
type Dot struct{ X, Y, Label string }

// Dots gives the points.
func (l Line) Dots() []Dot {
	var dots []Dot
	for i, v := range l.Values {
		if v != nil {
			dots = append(dots, Dot{px(l.place(i)), px(heightOf(*v)), l.Labels[i] + ": " + percent(v)})
		}
	}
	return dots
}

// Runs gives the stretches between gaps.
func (l Line) Runs() []string {
	var runs []string
	var points []string
	for i, v := range l.Values {
		if v != nil {
			points = append(points, px(l.place(i))+","+px(heightOf(*v)))
		}
		if v == nil || i == len(l.Values)-1 {
			if len(points) > 1 {
				runs = append(runs, strings.Join(points, " "))
			}
			points = nil
		}
	}
	return runs
}

// Ticks names the first, the last and, where there is room, the middle.
func (l Line) Ticks() []Tick {
	n := len(l.Labels)
	at := map[int]string{}
	switch {
	case n == 1:
		at[0] = "middle"
	case n > 1:
		at[0], at[n-1] = "start", "end"
		if n > 4 {
			at[n/2] = "middle"
		}
	}
	var ticks []Tick
	for i := range l.Labels {
		if anchor, named := at[i]; named {
			ticks = append(ticks, Tick{px(l.place(i)), px(lineBase + 20), l.Labels[i], anchor})
		}
	}
	return ticks
}

func described(labels []string, values []int64) string {
	var words []string
	for i, v := range values {
		words = append(words, fmt.Sprintf("%s: %d", labels[i], v))
	}
	return strings.Join(words, ", ")
}

func longest(labels []string) int {
	most := 0
	for _, l := range labels {
		most = max(most, len([]rune(l)))
	}
	return most
}

// px writes a coordinate with at most one decimal.
func px(x float64) string { return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) }
