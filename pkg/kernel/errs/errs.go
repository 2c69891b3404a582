package errs

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code is a stable, machine-readable error code in snake_case. A Code is itself an
// error, so that errors.Is(err, errs.NotFound) checks the code of any wrapped Error.
type Code string

func (c Code) Error() string { return string(c) }

// Error is the only error type that reaches a user. Code and Message never carry
// secrets or personal data; the cause is only for logs.
type Error struct {
	Code    Code
	Message string
	// Fields lists every problem of the input, never just the first.
	Fields []Field
	// More counts the problems that Fields has no room for.
	More int
	// Details holds further facts of the code's own shape, for example "updatedAt".
	Details map[string]any
	// RetryAfter says when another try may succeed; zero where none will.
	RetryAfter time.Duration
	cause      error
}

// Field is one problem of the input. Path is the JSON path ("sections[0].title"),
// the parameter's name, or "line 12, column stem" in a file.
type Field struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
	// Line and Column are the place in a file; Line counts from 1, the header's.
	// Item is the question of a question bank.
	Line   int    `json:"line,omitempty"`
	Item   string `json:"item,omitempty"`
	Column string `json:"column,omitempty"`
}

// New makes an error of a code; the message is a sentence for people.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Invalid makes a validation_failed error of all field problems, or nil of none.
func Invalid(fields ...Field) error {
	if len(fields) == 0 {
		return nil
	}
	return &Error{Code: ValidationFailed, Message: "The input is not valid.", Fields: fields}
}

// Wrap gives an unexpected failure its code; the cause stays out of the message.
func Wrap(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), cause: cause}
}

// With adds a fact to the details.
func (e *Error) With(key string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[key] = value
	return e
}

// After says when to try again.
func (e *Error) After(d time.Duration) *Error {
	e.RetryAfter = d
	return e
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", e.Code, e.Message)
	fields, more := e.Listed()
	for _, f := range fields {
		fmt.Fprintf(&b, "; %s: %s", f.Path, f.Message)
	}
	if more > 0 {
		fmt.Fprintf(&b, "; and %d more", more)
	}
	if e.cause != nil {
		fmt.Fprintf(&b, " (%v)", e.cause)
	}
	return b.String()
}

// Is compares codes.
func (e *Error) Is(target error) bool { return e.Code == target }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// Of gives the Error in the chain; any other error becomes internal_error with the
// cause kept for the log.
func Of(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	var c Code
	if errors.As(err, &c) {
		return &Error{Code: c, Message: Meaning(c)}
	}
	return &Error{Code: Internal, Message: "Something went wrong on our side.", cause: err}
}
