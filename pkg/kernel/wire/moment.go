package wire

import (
	"errors"
	"time"
	_ "time/tzdata" // zones are the same on every machine
)

// ErrOutOfRange is a moment that RFC 3339 can write and the database or an answer cannot.
var ErrOutOfRange = errors.New("expected a moment from the year 1 to 9999, in UTC")

// ReadMoment reads RFC 3339. Every moment that comes from outside as text goes through here.
func ReadMoment(text string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, err
	}
	return at.UTC(), CheckMoment(at)
}

// CheckMoment says whether a moment can be stored and shown. It counts in UTC: the year in which somebody wrote it can be
// another.
func CheckMoment(at time.Time) error {
	if year := at.UTC().Year(); year < 1 || year > 9999 {
		return ErrOutOfRange
	}
	return nil
}

// OfDay says which moment of a day is meant where a day may be given in place of a moment.
type OfDay int

// A window opens with a day and closes when the day is over.
const (
	DayBegin OfDay = iota
	DayEnd
)

// ReadDayOrMoment reads a moment, or a day (2031-03-01) of a zone.
func ReadDayOrMoment(text string, of OfDay, zone *time.Location) (time.Time, error) {
	day, err := time.ParseInLocation(time.DateOnly, text, time.UTC)
	if err != nil {
		return ReadMoment(text)
	}
	if of == DayEnd {
		day = day.AddDate(0, 0, 1)
	}
	at := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)
	if y, m, d := at.In(zone).Date(); y != day.Year() || m != day.Month() || d != day.Day() {
		at = at.Add(time.Hour) // where the clocks go forward at midnight, a day begins at one
	}
	return at.UTC(), CheckMoment(at)
}
