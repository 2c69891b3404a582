package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/plural"
	"assess/pkg/surface/intake"
)

// printPreview fails when the file has errors, so that a script can ask first.
func (s *Shell) printPreview(p intake.Preview) error {
	err := s.Show(p, func(screen *Screen) error {
		fmt.Fprintf(screen, "%s: %d valid, %d not. %s.\n", plural.Of(p.Total, "row"), p.ValidCount, p.InvalidCount, plural.Of(p.Records, "valid record"))
		drawNumbers(screen, p.Rows)
		err := drawNotices(screen, p.Besides(p.Errors))
		if err != nil {
			return err
		}
		return drawProblems(screen, p.Errors, p.MoreErrors, p.Warnings)
	})
	if err == nil && p.ErrorCount > 0 {
		return errs.New(errs.ImportInvalid, "The file has errors on %s.", plural.Of(p.ErrorCount, "line"))
	}
	return err
}

// drawNumbers says how the numbers of the first rows were read.
func drawNumbers(screen *Screen, rows []intake.PreviewRow) {
	said := false
	for _, row := range rows {
		if len(row.Numbers) == 0 {
			continue
		}
		if !said {
			fmt.Fprintln(screen, "Numbers, as they were read:")
			said = true
		}
		words := make([]string, len(row.Numbers))
		for i, n := range row.Numbers {
			words[i] = n.Column + " " + strconv.FormatFloat(n.Value, 'f', -1, 64)
		}
		fmt.Fprintf(screen, "  line %d: %s\n", row.Line, strings.Join(words, ", "))
	}
}

// printImported fails as partly done when rows were left out.
func (s *Shell) printImported(done intake.Commit) error {
	err := s.Show(done, func(screen *Screen) error {
		fmt.Fprintf(screen, "%s: %d written, %d left out. ", plural.Of(done.Total, "row"), done.Written, done.Skipped)
		fmt.Fprintf(screen, "%s: %d created, %d changed, %d unchanged", plural.Of(done.Records, "record"), done.Created, done.Changed, done.Unchanged)
		if done.Published > 0 {
			fmt.Fprintf(screen, ", %d published", done.Published)
		}
		fmt.Fprintln(screen, ".")
		err := drawNotices(screen, done.Besides(done.Errors))
		if err != nil {
			return err
		}
		return drawProblems(screen, done.Errors, done.MoreErrors, done.Warnings)
	})
	if err == nil && done.Skipped > 0 {
		return Partly("%w", errs.New(errs.ImportInvalid, "Of %s, %d left out.", plural.Of(done.Total, "row"), done.Skipped))
	}
	return err
}

// explainImport shows people the table of problems in place of the error's list.
func (s *Shell) explainImport(refused *errs.Error) error {
	problems := make([]intake.Problem, len(refused.Fields))
	for i, f := range refused.Fields {
		problems[i] = intake.Problem{Line: f.Line, Item: f.Item, Column: f.Column, Code: f.Code, Message: f.Message}
	}
	more, _ := refused.Details["moreErrors"].(int)
	warnings, _ := refused.Details["warnings"].([]intake.Problem)
	err := drawProblems(s.Notes, problems, more, warnings)
	if err != nil {
		return err
	}
	return errs.New(refused.Code, "%s", refused.Message)
}

// finding is a problem and whether it is only a warning.
type finding struct {
	intake.Problem
	warning bool
}

func drawProblems(screen *Screen, errors []intake.Problem, more int, warnings []intake.Problem) error {
	var rows []finding
	for _, p := range errors {
		rows = append(rows, finding{Problem: p})
	}
	for _, p := range warnings {
		rows = append(rows, finding{p, true})
	}
	if len(rows) == 0 {
		return nil
	}
	shown := findingColumns
	if slices.ContainsFunc(rows, func(f finding) bool { return f.Item != "" }) {
		shown = bankColumns
	}
	err := Table(screen, rows, shown...)
	if more > 0 {
		fmt.Fprintf(screen, "and %s\n", plural.Of(more, "more error"))
	}
	return err
}

// bankColumns are for question banks.
var (
	findingColumns = columns("Line, Column, Message", messageOfFinding)
	bankColumns    = columns("Item, Line, Message", messageOfFinding)
)

var messageOfFinding = Column[finding]{Header: "Message", Colour: func(f finding) Colour {
	if f.warning {
		return Warning
	}
	return Bad
}}

// drawNotices shows what the questions of a bank lose.
func drawNotices(screen *Screen, n intake.Notices) error {
	if len(n.Notices) == 0 {
		return nil
	}
	err := Table(screen, n.Notices, lossColumns...)
	if n.MoreNotices > 0 {
		fmt.Fprintf(screen, "and %s\n", plural.Of(n.MoreNotices, "more notice"))
	}
	return err
}
