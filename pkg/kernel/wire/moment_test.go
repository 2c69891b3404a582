package wire

import (
	"errors"
	"testing"
	"time"
)

func TestMomentsHaveBounds(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0000-01-01T00:00:00Z", "0000-12-31T23:59:59.999Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-23:00", "9999-12-31T23:59:59.999-00:01"} {
		if _, err := ReadMoment(text); !errors.Is(err, ErrOutOfRange) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{"0001-01-01T00:00:00Z": "0001-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z": "9999-12-31T23:59:59.999Z",
		"0000-12-31T23:59:59-01:00": "0001-01-01T00:59:59.000Z", "2031-03-01T09:00:00+05:30": "2031-03-01T03:30:00.000Z"} {
		if at, err := ReadMoment(text); err != nil || Instant(at) != want {
			t.Errorf("%s: %v, %v", text, at, err)
		}
	}
	if _, err := ReadMoment("2031-03-01"); err == nil || errors.Is(err, ErrOutOfRange) {
		t.Errorf("a day: %v", err)
	}
}

func TestADayIsADayOfItsZone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ day, zone, begins, ends string }{
		{"2031-03-31", "UTC", "2031-03-31T00:00:00.000Z", "2031-04-01T00:00:00.000Z"},
		{"2031-03-30", "Europe/Berlin", "2031-03-29T23:00:00.000Z", "2031-03-30T22:00:00.000Z"}, // 23 hours
		{"2031-10-26", "Europe/Berlin", "2031-10-25T22:00:00.000Z", "2031-10-26T23:00:00.000Z"}, // 25 hours
		{"2031-12-31", "Pacific/Auckland", "2031-12-30T11:00:00.000Z", "2031-12-31T11:00:00.000Z"},
		{"2024-04-26", "Africa/Cairo", "2024-04-25T22:00:00.000Z", "2024-04-26T21:00:00.000Z"}, // begins at one
		{"2024-04-25", "Africa/Cairo", "2024-04-24T22:00:00.000Z", "2024-04-25T22:00:00.000Z"},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		begins, err1 := ReadDayOrMoment(c.day, DayBegin, zone)
		ends, err2 := ReadDayOrMoment(c.day, DayEnd, zone)
		if err1 != nil || err2 != nil || Instant(begins) != c.begins || Instant(ends) != c.ends {
			t.Errorf("%s in %s: %s to %s (%v, %v), want %s to %s", c.day, c.zone, Instant(begins), Instant(ends), err1, err2, c.begins, c.ends)
		}
	}
	if at, err := ReadDayOrMoment("2031-03-31T09:00:00Z", DayEnd, time.UTC); err != nil || Instant(at) != "2031-03-31T09:00:00.000Z" {
		t.Errorf("a moment: %v, %v", at, err)
	}
	if _, err := ReadDayOrMoment("9999-12-31", DayEnd, time.UTC); !errors.Is(err, ErrOutOfRange) {
		t.Errorf("the end of time: %v", err)
	}
}
