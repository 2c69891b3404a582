package assignment

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones are the same on every machine

	"github.com/teambition/rrule-go"

	"assess/pkg/kernel/errs"
)

// The bounds of a recurrence.
const (
	maxRuleChars = 300
	maxInterval  = 1_000
	maxCount     = 10_000
	// A rule without an end ends by itself: after 20 years, an hourly one after 2.
	horizonYears       = 20
	hourlyHorizonYears = 2
	// A rule that never holds is tried until the year 9999. The calendar repeats itself every 400 years, weekdays included, so
	// rules are counted that much later: some hundred years are left to try, not eight thousand.
	later = 19 * 400
)

// ruleParts are the parts of a rule that are understood (RFC 5545, section 3.3.10). A run has the
// minute and second of the rule's start.
var ruleParts = []string{"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS", "BYYEARDAY",
	"BYWEEKNO", "BYHOUR", "WKST"}

var frequencies = []string{"HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"}

// recurrence is a rule with its start, in a time zone. It counts by the clock on the wall:
// nine in the morning stays nine in the morning when the clocks change.
type recurrence struct {
	rule *rrule.RRule
	zone *time.Location
}

// parseRecurrence reads a rule, a zone of the IANA database and a start.
func parseRecurrence(rule, zone string, start time.Time) (recurrence, []errs.Field) {
	var bad []errs.Field
	loc, err := time.LoadLocation(zone)
	if err != nil || zone == "" || zone == "Local" {
		bad = append(bad, errs.Field{Path: "timeZone", Code: "unknown_time_zone", Message: "expected a name of the IANA database, such as Europe/Berlin"})
	}
	if start.Year() < 2000 || start.Year() > 2200 {
		bad = append(bad, errs.Field{Path: "startsAt", Code: "out_of_range", Message: "expected a moment of the years 2000 to 2200"})
	}
	if problem := checkRule(rule); problem != "" {
		bad = append(bad, errs.Field{Path: "rule", Code: "invalid_rule", Message: problem})
	}
	if len(bad) > 0 {
		return recurrence{}, bad
	}
	options, err := rrule.StrToROptionInLocation(rule, time.UTC)
	if err != nil {
		return recurrence{}, invalidRule("it is no recurrence rule of RFC 5545")
	}
	options.Dtstart = onWall(start.In(loc).Truncate(time.Second))
	options.Until = boundOf(*options, rule, loc).AddDate(later, 0, 0)
	options.Dtstart = options.Dtstart.AddDate(later, 0, 0)
	made, err := rrule.NewRRule(*options)
	if err != nil {
		return recurrence{}, invalidRule("its values are out of range")
	}
	return recurrence{made, loc}, nil
}

func invalidRule(message string) []errs.Field {
	return []errs.Field{{Path: "rule", Code: "invalid_rule", Message: message}}
}

// checkRule says what is wrong with a rule; "" means nothing.
func checkRule(rule string) string {
	if rule == "" || len(rule) > maxRuleChars {
		return fmt.Sprintf("expected 1 to %d characters", maxRuleChars)
	}
	seen := map[string]string{}
	for part := range strings.SplitSeq(rule, ";") {
		name, value, _ := strings.Cut(part, "=")
		_, again := seen[name]
		if again || value == "" || !slices.Contains(ruleParts, name) {
			return "expected parts such as FREQ=WEEKLY;BYDAY=MO, each once, of " + strings.Join(ruleParts, ", ")
		}
		seen[name] = value
	}
	switch {
	case !slices.Contains(frequencies, seen["FREQ"]):
		return "FREQ is one of " + strings.Join(frequencies, ", ")
	case seen["FREQ"] == "HOURLY" && seen["BYHOUR"] != "":
		return "BYHOUR goes with DAILY and above" // with an interval it may never hold
	case seen["COUNT"] != "" && seen["UNTIL"] != "":
		return "give COUNT or UNTIL"
	case !numberUpTo(seen["INTERVAL"], maxInterval):
		return fmt.Sprintf("INTERVAL is 1 to %d", maxInterval)
	case !numberUpTo(seen["COUNT"], maxCount):
		return fmt.Sprintf("COUNT is 1 to %d", maxCount)
	}
	return ""
}

func numberUpTo(value string, most int) bool {
	if value == "" {
		return true
	}
	n, err := strconv.Atoi(value)
	return err == nil && n >= 1 && n <= most
}

// boundOf gives the end of a rule on the wall: its own, or the horizon.
func boundOf(o rrule.ROption, rule string, zone *time.Location) time.Time {
	years := horizonYears
	if o.Freq == rrule.HOURLY {
		years = hourlyHorizonYears
	}
	horizon := o.Dtstart.AddDate(years, 0, 0)
	until := o.Until
	_, value, _ := strings.Cut(rule, "UNTIL=")
	value, _, _ = strings.Cut(value, ";")
	if strings.HasSuffix(value, "Z") {
		until = onWall(until.In(zone))
	}
	if len(value) == len(rrule.DateFormat) {
		until = until.AddDate(0, 0, 1).Add(-time.Second) // a day is meant to its end
	}
	if until.IsZero() || until.After(horizon) {
		return horizon
	}
	return until
}

// next gives at most n runs from a moment on, in order.
func (r recurrence) next(from time.Time, n int) []time.Time {
	runs := []time.Time{}
	for at := range r.runs() {
		if len(runs) == n {
			break
		}
		if !at.Before(from) {
			runs = append(runs, at)
		}
	}
	return runs
}

// between gives the runs from one moment to another, both included.
func (r recurrence) between(from, to time.Time) []time.Time {
	var runs []time.Time
	for at := range r.runs() {
		if at.After(to) {
			break
		}
		if !at.Before(from) {
			runs = append(runs, at)
		}
	}
	return runs
}

// runs yields all runs in order. Two times on the wall that mean one instant are one run.
func (r recurrence) runs() iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		var last time.Time
		step := r.rule.Iterator()
		for wall, more := step(); more; wall, more = step() {
			at := r.instant(wall.AddDate(-later, 0, 0))
			if at.After(last) && !yield(at) {
				return
			}
			last = at
		}
	}
}

// windowEnd says when a window closes that opens with a run and lasts so many seconds. Whole days are days of the rule's zone, so
// that a window closes at the time of day at which it opened, whatever the clocks did meanwhile; for an hourly rule a day is 24
// hours.
func (r recurrence) windowEnd(at time.Time, seconds int) time.Time {
	const day = 24 * 60 * 60
	if seconds%day != 0 || r.rule.OrigOptions.Freq == rrule.HOURLY {
		return at.Add(time.Duration(seconds) * time.Second)
	}
	return r.instant(onWall(at.In(r.zone)).AddDate(0, 0, seconds/day))
}

// onWall writes what a clock on the wall shows as if it were UTC.
func onWall(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
}

// instant says when the clock on the wall shows a time (RFC 5545, section 3.3.5): a time
// that happens twice means the first; one that is skipped counts with the offset that held
// before.
func (r recurrence) instant(wall time.Time) time.Time {
	_, before := wall.Add(-24 * time.Hour).In(r.zone).Zone()
	_, after := wall.Add(24 * time.Hour).In(r.zone).Zone()
	early := wall.Add(-time.Duration(before) * time.Second)
	late := wall.Add(-time.Duration(after) * time.Second)
	if !onWall(early.In(r.zone)).Equal(wall) && onWall(late.In(r.zone)).Equal(wall) {
		return late
	}
	return early
}
