package page

import (
	"strconv"
	"strings"
	"time"

	"assess/pkg/kernel/wire"
)

// none is shown where a figure has no value: a rate whose denominator is 0.
const none = "–"

func percent(rate *float64, marks ...float64) string {
	if rate == nil {
		return none
	}
	return wire.Percent(*rate, marks...)
}

func whole[N int | int64](n N) string { return strconv.FormatInt(int64(n), 10) }

// duration writes a time in milliseconds that may be unknown.
func duration(ms *int64) string {
	if ms == nil {
		return none
	}
	return wire.Duration(*ms)
}

func moment(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04") + " UTC" }

func asOf(at time.Time, lagMs int64) string {
	text := "Figures of " + moment(at)
	if lagMs > 0 {
		text += ", " + duration(&lagMs) + " behind"
	}
	return text + "."
}

// Run names a run; attempts without one have an empty label.
func Run(label string) string {
	if label == "" {
		return "attempts without a run"
	}
	return "the run " + label
}

// short cuts a text that is longer than some characters, and marks the cut.
func short(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return strings.TrimSpace(string(runes[:most])) + " …"
}

func share(part, whole int64) *float64 {
	if whole == 0 {
		return nil
	}
	v := float64(part) / float64(whole)
	return &v
}

// The cells that tables are made of.
func label(text string) Cell         { return Cell{Text: text, Label: true} }
func figure(text string) Cell        { return Cell{Text: text, Right: true} }
func words(text string) Cell         { return Cell{Text: text} }
func toned(text string, t Tone) Cell { return Cell{Text: text, Tone: t} }

func bar(rate *float64, tone Tone) Cell {
	if rate == nil {
		return Cell{Text: none}
	}
	return Cell{Text: percent(rate), Bar: &Bar{Share: *rate, Tone: tone}}
}

// head makes the column heads; a name that begins with ">" is aligned right.
func head(names ...string) []Head {
	var heads []Head
	for _, name := range names {
		right := strings.HasPrefix(name, ">")
		if right {
			name = name[1:]
		}
		heads = append(heads, Head{name, right})
	}
	return heads
}

// counted makes a table of counts with their share of a whole, in words: a chart shows them already.
func counted(what, of string, total int64, labels []string, values []int64, tones []Tone) *Table {
	t := &Table{Header: head(what, ">Attempts", of)}
	for i, v := range values {
		tone := Plain
		if i < len(tones) {
			tone = tones[i]
		}
		t.Rows = append(t.Rows, []Cell{label(labels[i]), figure(whole(v)), toned(percent(share(v, total)), tone)})
	}
	return t
}
