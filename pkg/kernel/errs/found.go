package errs

import "slices"

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

// AddUnsaid notes problems of places that none was noted of before.
func (f *Found) AddUnsaid(fields ...Field) {
	known := f.fields
	for _, field := range fields {
		if !slices.ContainsFunc(known, func(k Field) bool { return k.Path == field.Path }) {
			f.Add(field)
		}
	}
}

// None says that nothing was found.
func (f Found) None() bool { return len(f.fields) == 0 }

// Err makes a validation_failed error of everything found, or nil of nothing.
func (f Found) Err() error {
	if f.None() {
		return nil
	}
	return &Error{Code: ValidationFailed, Message: "The input is not valid.", Fields: f.fields, More: f.more}
}
