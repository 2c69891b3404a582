package assignment

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func TestRunsFollowTheClockOnTheWall(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, rule, zone, start string
		n                       int
		want                    []string
	}{
		{"spring, nine stays nine", "FREQ=DAILY", "Europe/Berlin", "2031-03-29T09:00:00+01:00", 3,
			[]string{"2031-03-29T09:00:00+01:00", "2031-03-30T09:00:00+02:00", "2031-03-31T09:00:00+02:00"}},
		{"autumn, nine stays nine", "FREQ=WEEKLY;COUNT=2", "America/New_York", "2031-10-27T09:00:00-04:00", 5,
			[]string{"2031-10-27T09:00:00-04:00", "2031-11-03T09:00:00-05:00"}},
		{"a skipped time counts with the offset before", "FREQ=DAILY", "Europe/Berlin", "2031-03-29T02:30:00+01:00", 3,
			[]string{"2031-03-29T02:30:00+01:00", "2031-03-30T03:30:00+02:00", "2031-03-31T02:30:00+02:00"}},
		{"a time that happens twice is the first", "FREQ=DAILY", "Europe/Berlin", "2031-10-25T02:30:00+02:00", 3,
			[]string{"2031-10-25T02:30:00+02:00", "2031-10-26T02:30:00+02:00", "2031-10-27T02:30:00+01:00"}},
		{"hours that become one instant are one run", "FREQ=HOURLY", "Europe/Berlin", "2031-03-30T01:00:00+01:00", 3,
			[]string{"2031-03-30T01:00:00+01:00", "2031-03-30T03:00:00+02:00", "2031-03-30T04:00:00+02:00"}},
		{"first Monday", "FREQ=MONTHLY;BYDAY=1MO", "UTC", "2031-01-01T08:00:00Z", 2, []string{"2031-01-06T08:00:00Z", "2031-02-03T08:00:00Z"}},
		{"the 31st", "FREQ=MONTHLY", "UTC", "2031-01-31T08:00:00Z", 3, []string{"2031-01-31T08:00:00Z", "2031-03-31T08:00:00Z", "2031-05-31T08:00:00Z"}},
		{"until in UTC", "FREQ=DAILY;UNTIL=20310102T080000Z", "Asia/Tokyo", "2031-01-01T17:00:00+09:00", 9,
			[]string{"2031-01-01T17:00:00+09:00", "2031-01-02T17:00:00+09:00"}},
		{"until a day", "FREQ=DAILY;UNTIL=20310102", "Asia/Tokyo", "2031-01-01T17:00:00+09:00", 9,
			[]string{"2031-01-01T17:00:00+09:00", "2031-01-02T17:00:00+09:00"}},
		{"no end", "FREQ=YEARLY", "UTC", "2031-01-01T00:00:00Z", 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, bad := parseRecurrence(tt.rule, tt.zone, at(tt.start))
			if len(bad) > 0 {
				t.Fatal(bad)
			}
			var got []string
			for _, run := range r.next(at(tt.start), tt.n) {
				got = append(got, run.In(r.zone).Format(time.RFC3339))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
		})
	}
	r, _ := parseRecurrence("FREQ=YEARLY", "UTC", at("2031-01-01T00:00:00Z"))
	if n := len(r.next(at("2031-01-01T00:00:00Z"), 1000)); n != horizonYears+1 {
		t.Errorf("a rule without an end has %d runs", n)
	}
}

// Trying a rule that never holds ends soon: some hundred years of days, not eight thousand.
func TestRulesThatNeverHoldEndSoon(t *testing.T) {
	t.Parallel()
	for _, start := range []string{"2000-01-01T00:00:00Z", "2031-03-01T09:00:00Z", "2199-12-31T23:00:00Z"} {
		for _, rule := range []string{"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;INTERVAL=7;BYDAY=MO;BYMONTHDAY=32",
			"FREQ=DAILY;BYSETPOS=5", "FREQ=WEEKLY;BYMONTH=2;BYMONTHDAY=31", "FREQ=MONTHLY;BYMONTH=4;BYMONTHDAY=31"} {
			r, bad := parseRecurrence(rule, "Europe/Berlin", at(start))
			if len(bad) > 0 {
				continue // some are refused at once
			}
			if left := 9999 - r.rule.OrigOptions.Dtstart.Year(); left > 400 || left < horizonYears {
				t.Errorf("%s from %s: %d years are left to try", rule, start, left)
			}
			if runs := r.next(at(start), 1); len(runs) > 0 {
				t.Errorf("%s from %s runs at %v", rule, start, runs)
			}
		}
	}
}

// A window of whole days closes at the time of day at which it opened; one of hours, or of an hourly rule, lasts as long as it says.
func TestWindowsCountInDaysWhereTheRuleDoes(t *testing.T) {
	t.Parallel()
	const day = 24 * 60 * 60
	for _, c := range []struct {
		rule, zone, opens string
		seconds           int
		closes            string
	}{
		{"FREQ=DAILY", "Europe/Berlin", "2031-03-29T09:00:00+01:00", day, "2031-03-30T09:00:00+02:00"},
		{"FREQ=DAILY", "Europe/Berlin", "2031-10-25T09:00:00+02:00", 7 * day, "2031-11-01T09:00:00+01:00"},
		{"FREQ=WEEKLY", "America/New_York", "2031-03-08T02:30:00-05:00", day, "2031-03-09T03:30:00-04:00"},
		{"FREQ=DAILY", "Europe/Berlin", "2031-03-29T09:00:00+01:00", day + 3600, "2031-03-30T11:00:00+02:00"},
		{"FREQ=DAILY", "Europe/Berlin", "2031-03-30T01:30:00+01:00", 3600, "2031-03-30T03:30:00+02:00"},
		{"FREQ=HOURLY", "Europe/Berlin", "2031-03-29T09:00:00+01:00", day, "2031-03-30T10:00:00+02:00"},
		{"FREQ=DAILY", "UTC", "2031-03-29T09:00:00Z", day, "2031-03-30T09:00:00Z"},
	} {
		r, bad := parseRecurrence(c.rule, c.zone, at(c.opens))
		if len(bad) > 0 {
			t.Fatal(bad)
		}
		if got := r.windowEnd(at(c.opens), c.seconds); !got.Equal(at(c.closes)) {
			t.Errorf("%s in %s, %d s from %s: closes at %s, want %s", c.rule, c.zone, c.seconds, c.opens, got.In(r.zone).Format(time.RFC3339), c.closes)
		}
	}
}

func TestBadRules(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"", "x", "FREQ=SECONDLY", "FREQ=MINUTELY", "freq=daily", "FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY;BYMINUTE=1,2",
		"FREQ=DAILY;BYSECOND=1", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;INTERVAL=1001", "FREQ=DAILY;COUNT=10001", "FREQ=DAILY;COUNT=1;UNTIL=20310101",
		"FREQ=DAILY;BYHOUR=25", "FREQ=HOURLY;INTERVAL=24;BYHOUR=5", "FREQ=DAILY;BYDAY=XX", "FREQ=DAILY;BYMONTH=13", "FREQ=DAILY;UNTIL=x", "RRULE:FREQ=DAILY", "DTSTART=20310101;FREQ=DAILY"} {
		if _, bad := parseRecurrence(rule, "UTC", at("2031-01-01T00:00:00Z")); len(bad) != 1 || bad[0].Path != "rule" {
			t.Errorf("%q: got %v, want one problem of the rule", rule, bad)
		}
	}
	for _, zone := range []string{"", "Local", "Mars/Olympus", "../etc/passwd"} {
		if _, bad := parseRecurrence("FREQ=DAILY", zone, at("2031-01-01T00:00:00Z")); len(bad) != 1 || bad[0].Path != "timeZone" {
			t.Errorf("%q: got %v, want one problem of the zone", zone, bad)
		}
	}
}

// Looking for the first run of a rule that never holds comes to an end.
func TestRulesThatNeverHoldEnd(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"} {
		_, bad := Timing{Rule: rule, TimeZone: "UTC", StartsAt: at("2031-01-01T06:00:00Z"), RunLabel: "{date}"}.parse()
		if len(bad) != 1 || bad[0].Path != "rule" {
			t.Errorf("%s: got %v, want one problem of the rule", rule, bad)
		}
	}
}

func TestRunLabels(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Pacific/Auckland")
	if err != nil {
		t.Fatal(err)
	}
	got := labelOf("a {date} {time} {week} {month} {year} {no}", at("2031-12-31T12:30:00Z"), zone)
	if want := "a 2032-01-01 01:30 2032-W01 2032-01 2032 {no}"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for pattern, want := range map[string]string{"x {date}": "", "x {week}": "run_label_repeats", "x": "run_label_repeats", "{day} {date}": "unknown_placeholder", " ": "required"} {
		_, bad := Timing{Rule: "FREQ=DAILY", TimeZone: "UTC", StartsAt: at("2031-01-01T06:00:00Z"), RunLabel: pattern}.parse()
		got := ""
		if len(bad) > 0 {
			got = bad[0].Code
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", pattern, got, want)
		}
	}
}

// Whatever the zone and the time, the instant shows that time on the wall, unless the clock
// skips it; and times in order give instants in order.
func TestInstantShowsItsTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom([]string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"}).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		r := recurrence{zone: zone}
		wall := time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 2*365*24*4).Draw(t, "quarters")) * 15 * time.Minute)
		got := r.instant(wall)
		shown := onWall(got.In(zone))
		if gap := shown.Sub(wall); gap != 0 && (gap < 0 || gap > time.Hour) {
			t.Errorf("%v shows %v", wall, shown)
		}
		if earlier := got.Add(-time.Hour); onWall(earlier.In(zone)).Equal(wall) {
			t.Errorf("%v is not the first time that the clock shows %v", got, wall)
		}
	})
}
