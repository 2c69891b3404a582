package assignment

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"assess/pkg/kernel/errs"
)

// labelled is how many runs are looked at for equal run labels.
const labelled = 100

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// placeholders of a run label pattern, by the local time of the run.
var placeholders = map[string]func(time.Time) string{
	"{date}":  func(t time.Time) string { return t.Format(time.DateOnly) },
	"{time}":  func(t time.Time) string { return t.Format("15:04") },
	"{month}": func(t time.Time) string { return t.Format("2006-01") },
	"{year}":  func(t time.Time) string { return t.Format("2006") },
	"{week}": func(t time.Time) string {
		year, week := t.ISOWeek()
		return fmt.Sprintf("%d-W%02d", year, week)
	},
}

// labelOf gives the run label of a run.
func labelOf(pattern string, at time.Time, zone *time.Location) string {
	return placeholder.ReplaceAllStringFunc(pattern, func(word string) string {
		fill, known := placeholders[word]
		if !known {
			return word
		}
		return fill(at.In(zone))
	})
}

// checkPattern checks a pattern against the runs of its schedule: each needs a label of its own,
// since an assignment is known by target and run label.
func checkPattern(pattern string, r recurrence, runs []time.Time) []errs.Field {
	bad := errs.Line("run_label", pattern, maxRunLabel-40, false)
	if strings.TrimSpace(pattern) == "" {
		bad = append(bad, errs.Field{Path: "run_label", Code: "required", Message: "it must not be empty"})
	}
	for _, word := range placeholder.FindAllString(pattern, -1) {
		if placeholders[word] == nil {
			bad = append(bad, errs.Field{Path: "run_label", Code: "unknown_placeholder", Message: "expected {date}, {time}, {week}, {month} or {year}"})
		}
	}
	seen := map[string]bool{}
	for _, at := range runs {
		label := labelOf(pattern, at, r.zone)
		if seen[label] {
			return append(bad, errs.Field{Path: "run_label", Code: "run_label_repeats", Message: "two runs would have the same label; use {date} or {time}"})
		}
		seen[label] = true
	}
	return bad
}
