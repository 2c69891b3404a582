package errs

import (
	"slices"
	"strings"
)

const (
	// MostFields bounds the problems that an answer lists; the others are counted.
	MostFields = 100
	// MostImportFields is the same for the lines of a file.
	MostImportFields = 1_000
)

// Listed gives the problems that an answer shows, and the number of the others.
func (e *Error) Listed() ([]Field, int) {
	most := MostFields
	if e.Code == ImportInvalid {
		most = MostImportFields
	}
	if len(e.Fields) <= most {
		return e.Fields, e.More
	}
	return e.Fields[:most], e.More + len(e.Fields) - most
}

// Found collects problems of an input that may have any number of them: it keeps as many as an
// answer lists and counts the others, so that memory does not grow with them.
type Found struct {
	fields []Field
	more   int
}

// Add notes problems.
func (f *Found) Add(fields ...Field) {
	room := min(MostFields-len(f.fields), len(fields))
	f.fields = append(f.fields, fields[:room]...)
	f.more += len(fields) - room
}

// AddRules notes what rules have against an input that has problems already, but for what may
// only follow from these: whatever is about the same place, about a part of it, or about the
// whole that it is missing from or unreadable in.
func (f *Found) AddRules(fields ...Field) {
	known := f.fields
	for _, rule := range fields {
		if !follows(rule, known) {
			f.Add(rule)
		}
	}
}

func follows(rule Field, known []Field) bool {
	for _, k := range known {
		if within(rule.Path, k.Path) || k.Code != unknownField && within(k.Path, rule.Path) {
			return true
		}
	}
	return false
}

// unknownField is the code of a field that is left out of what rules see.
const unknownField = "unknown_field"

// within says whether a path names the place of another one or a part of it.
func within(path, of string) bool {
	rest, ok := strings.CutPrefix(path, of)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// AddUnsaid notes problems of places that none was noted of before.
func (f *Found) AddUnsaid(fields ...Field) {
	known := f.fields
	for _, field := range fields {
		if !slices.ContainsFunc(known, func(k Field) bool { return k.Path == field.Path }) {
			f.Add(field)
		}
	}
}

// Count says how many problems there are.
func (f Found) Count() int { return len(f.fields) + f.more }

// Full says that an answer has no room for more.
func (f Found) Full() bool { return len(f.fields) == MostFields }

// None says that nothing was found.
func (f Found) None() bool { return len(f.fields) == 0 }

// Err makes a validation_failed error of everything found, or nil of nothing.
func (f Found) Err() error {
	if f.None() {
		return nil
	}
	return &Error{Code: ValidationFailed, Message: "The input is not valid.", Fields: f.fields, More: f.more}
}
