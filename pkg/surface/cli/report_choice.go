package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"assess/pkg/kernel/wire"
	"assess/pkg/report/reporting"
)

// patternsShown is how many answer sets people see; JSON has them all.
const patternsShown = 10

func drawOptions(screen *Screen, options []reporting.Option) error {
	screen.heading("Options")
	columns := []Column[reporting.Option]{{Header: "Option", Cell: func(o reporting.Option) string { return o.OptionID }, Colour: keyColour}}
	if slices.ContainsFunc(options, func(o reporting.Option) bool { return o.Text != "" }) {
		columns = append(columns, Column[reporting.Option]{Header: "Words",
			Cell: func(o reporting.Option) string { return screen.short(o.Text, shortWords) }, Colour: keyColour})
	}
	return Table(screen, options, append(columns,
		Column[reporting.Option]{Header: "Key", Cell: screen.key, Colour: keyColour},
		Column[reporting.Option]{Header: "Chosen", Cell: func(o reporting.Option) string { return whole(o.N) }, Align: Right},
		Column[reporting.Option]{Header: "Of scored attempts", Cell: func(o reporting.Option) string { return screen.bar(o.Pct) }, Colour: keyColour})...)
}

// How much of a text a report shows, in columns; the page of --html has it whole.
const (
	shortWords = 60  // in a table
	shortStem  = 240 // above it
)

// short gives the beginning of a text without its breaks.
func (s *Screen) short(text string, width int) string {
	more := "..."
	if s.Unicode {
		more = "…"
	}
	return displaywidth.TruncateString(strings.Join(strings.Fields(clean(text)), " "), width, more)
}

func (s *Screen) key(o reporting.Option) string {
	if !o.IsCorrect {
		return ""
	}
	return s.tick()
}

// tick marks right answers.
func (s *Screen) tick() string {
	if s.Unicode {
		return "✓"
	}
	return "*"
}

func keyColour(o reporting.Option) Colour {
	if o.IsCorrect {
		return Good
	}
	return Plain
}

func drawMulti(screen *Screen, m reporting.ChoiceMulti) error {
	err := drawOptions(screen, m.Options)
	if err != nil {
		return err
	}
	err = drawPatterns(screen, m.TopPatterns, m.PatternsN, m.PartialCredit)
	if err != nil {
		return err
	}
	e := m.ErrorModes
	errors := fmt.Sprintf("Errors: %d missed a right option, %d chose a wrong one, %d did both.", e.MissedCorrect, e.SelectedIncorrect, e.Both)
	fmt.Fprint(screen, "\n", screen.indented(errors, 0))
	drawViolations(screen, m.ConstraintViolations)
	return nil
}

func drawParts(screen *Screen, m reporting.Parts) error {
	screen.heading("Parts")
	err := Table(screen, m.Parts,
		Column[reporting.Part]{Header: "Part", Cell: func(p reporting.Part) string { return p.PartID }},
		Column[reporting.Part]{Header: "Words", Cell: func(p reporting.Part) string { return screen.short(p.Text, shortWords) }},
		Column[reporting.Part]{Header: "Right", Cell: func(p reporting.Part) string { return whole(p.N) }, Align: Right},
		Column[reporting.Part]{Header: "Of scored attempts", Cell: func(p reporting.Part) string { return screen.bar(p.Pct) }},
		Column[reporting.Part]{Header: "Most often wrong", Cell: func(p reporting.Part) string {
			v, found := p.MostWrong()
			if !found {
				return none
			}
			return screen.short(v.Name(), shortWords/2) + ": " + whole(v.N)
		}})
	if err == nil {
		err = drawPatterns(screen, m.TopPatterns, m.PatternsN, m.PartialCredit)
	}
	if err != nil || len(m.ConstraintViolations) == 0 {
		return err
	}
	fmt.Fprintln(screen)
	drawViolations(screen, m.ConstraintViolations)
	return nil
}

func drawViolations(screen *Screen, all []reporting.CodeCount) {
	for _, v := range all {
		fmt.Fprintf(screen, "Invalid: %d %s\n", v.N, wire.Words(v.Code))
	}
}

func drawPatterns(screen *Screen, top []reporting.Pattern, all int64, ranges []reporting.CreditRange) error {
	shown := top[:min(patternsShown, len(top))]
	screen.heading(fmt.Sprintf("Answer sets, %d of %d", len(shown), all))
	err := Table(screen, shown,
		Column[reporting.Pattern]{Header: "Set", Cell: func(p reporting.Pattern) string { return strings.Join(p.OptionIDs, " ") }},
		Column[reporting.Pattern]{Header: "Attempts", Cell: func(p reporting.Pattern) string { return whole(p.N) }, Align: Right},
		Column[reporting.Pattern]{Header: "Of scored attempts", Cell: func(p reporting.Pattern) string { return screen.bar(p.Pct) }})
	if err != nil {
		return err
	}
	screen.heading("Credit")
	_, err = fmt.Fprint(screen, screen.Histogram(credit(ranges)))
	return err
}

// credit leaves out the ranges that nobody is in.
func credit(ranges []reporting.CreditRange) []Count {
	var counts []Count
	var total int64
	for _, r := range ranges {
		total += r.N
	}
	for _, r := range ranges {
		label := fmt.Sprintf("%3.0f to %3.0f %%", r.FromPct*100, r.ToPct*100)
		if r.FromPct == r.ToPct {
			label = "full"
		}
		if r.N > 0 {
			counts = append(counts, Count{Label: label, Count: r.N, Share: share(r.N, total)})
		}
	}
	return counts
}
