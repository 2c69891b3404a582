package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/plural"
	"assess/pkg/surface/op"
)

// The exit codes (decisions, section 8).
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotFound    = 3
	exitBlocked     = 4
	exitConflict    = 5
	exitPartly      = 6
	exitInterrupted = 130
)

// byStatus maps error codes by their HTTP status. A mistake that an operator can correct in
// the call is usage; an obstacle to a good call is not.
var byStatus = map[int]int{
	http.StatusBadRequest:                   exitUsage,
	http.StatusUnauthorized:                 exitFailed,
	http.StatusForbidden:                    exitFailed,
	http.StatusNotFound:                     exitNotFound,
	http.StatusGone:                         exitNotFound,
	http.StatusMethodNotAllowed:             exitFailed,
	http.StatusNotAcceptable:                exitFailed,
	http.StatusConflict:                     exitConflict,
	http.StatusPreconditionFailed:           exitConflict,
	http.StatusRequestedRangeNotSatisfiable: exitUsage,
	http.StatusRequestEntityTooLarge:        exitFailed,
	http.StatusUnsupportedMediaType:         exitUsage,
	http.StatusUnprocessableEntity:          exitUsage,
	http.StatusTooManyRequests:              exitFailed,
	http.StatusInternalServerError:          exitFailed,
	http.StatusServiceUnavailable:           exitFailed,
	http.StatusInsufficientStorage:          exitFailed,
}

// byCode holds the codes that differ from their status: there the call was right, and
// the state or the file was not.
var byCode = map[errs.Code]int{
	errs.HoldActive:           exitBlocked,
	errs.IdempotencyKeyReused: exitConflict,
	errs.ImportInvalid:        exitFailed,
	errs.PublishBlocked:       exitFailed,
	errs.AttemptLimitReached:  exitFailed,
	errs.CooloffActive:        exitFailed,
}

func exitOf(c errs.Code) int {
	if exit, ok := byCode[c]; ok {
		return exit
	}
	if exit, ok := byStatus[errs.Status(c)]; ok {
		return exit
	}
	return exitFailed
}

// exitCode decides on the exit code of a failure.
func exitCode(err error, interrupted bool) int {
	var usage *usageError
	var partly *partlyError
	switch {
	case interrupted:
		return exitInterrupted
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &partly):
		return exitPartly
	}
	return exitOf(errs.Of(err).Code)
}

type usageError struct{ cause error }

func (e *usageError) Error() string { return e.cause.Error() }
func (e *usageError) Unwrap() error { return e.cause }

// Usage makes an error of a call that is wrong in itself (exit code 2).
func Usage(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

type partlyError struct{ cause error }

func (e *partlyError) Error() string { return e.cause.Error() }
func (e *partlyError) Unwrap() error { return e.cause }

// Partly makes the error of work that failed in part (exit code 6). The result has
// been printed; the message says how much is missing.
func Partly(format string, args ...any) error {
	return &partlyError{fmt.Errorf(format, args...)}
}

type unsoundError struct{ message string }

func (e *unsoundError) Error() string { return e.message }

// Unsound makes the error of a check that found something (exit code 1). The findings have
// been printed. Its code and Partly's are the only ones that the HTTP interface does not have.
func Unsound(format string, args ...any) error {
	return &unsoundError{fmt.Sprintf(format, args...)}
}

const (
	checkFailed errs.Code = "check_failed"
	partlyDone  errs.Code = "partly_done"
)

// explain presents a failure on standard error: as the error body of the HTTP interface
// with -o json, else as text.
func (s *Shell) explain(cmd *cobra.Command, err error, interrupted bool) {
	switch {
	case interrupted:
		fmt.Fprintln(s.Notes, "Interrupted.")
	case s.Format == FormatJSON:
		// Nobody is left to tell when standard error itself fails.
		_ = json.NewEncoder(s.Notes).Encode(errorBody(err))
	default:
		s.explainInWords(cmd, err)
	}
}

func (s *Shell) explainInWords(cmd *cobra.Command, err error) {
	e := errs.Of(err)
	fmt.Fprintln(s.Notes, s.Notes.Paint(Bad, "Error:"), message(err))
	fields, more := e.Listed()
	for _, f := range fields {
		fmt.Fprintf(s.Notes, "  %s: %s\n", f.Path, f.Message)
	}
	if more > 0 {
		fmt.Fprintf(s.Notes, "  and %s\n", plural.Of(more, "other problem"))
	}
	for _, line := range undecided(e) {
		fmt.Fprintf(s.Notes, "  %s\n", line)
	}
	// The causes of other failures, such as a duplicate key, say nothing that the message
	// does not.
	cause := errors.Unwrap(e)
	if cause != nil && e.Code != errs.Internal && errs.Status(e.Code) >= http.StatusInternalServerError {
		fmt.Fprintln(s.Notes, "Cause:", cause)
	}
	if e.RetryAfter > 0 {
		fmt.Fprintf(s.Notes, "Try again in %s.\n", e.RetryAfter)
	}
	var usage *usageError
	var misnamed *op.Misnamed
	if errors.As(err, &usage) || errors.As(err, &misnamed) {
		fmt.Fprintf(s.Notes, "Usage: %s\nHint:  %s --help says more\n", cmd.UseLine(), cmd.CommandPath())
	}
}

// message gives operators the cause of an unexpected failure, which the HTTP interface keeps
// for the log.
func message(err error) string {
	e := errs.Of(err)
	if e.Code == errs.Internal && errors.Unwrap(e) != nil {
		return errors.Unwrap(e).Error()
	}
	return e.Message
}

type body struct {
	Code    errs.Code      `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

func errorBody(err error) body {
	e := errs.Of(err)
	b := body{Code: e.Code, Message: message(err), Details: maps.Clone(e.Details)}
	var usage *usageError
	var unsound *unsoundError
	var partly *partlyError
	switch {
	case errors.As(err, &usage) && e.Code == errs.Internal:
		b.Code = errs.ValidationFailed
	case errors.As(err, &unsound):
		b.Code = checkFailed
	case errors.As(err, &partly) && e.Code == errs.Internal:
		b.Code = partlyDone
	}
	if fields, more := e.Listed(); len(fields) > 0 {
		if b.Details == nil {
			b.Details = map[string]any{}
		}
		b.Details["fields"] = fields
		if more > 0 {
			b.Details["moreErrors"] = more
		}
	}
	return b
}
