// Package errs holds the words for everything that can go wrong: one error type and
// the list of all codes (decisions, section 1). The surfaces present them; nobody
// else decides on a status or an exit code.
package errs
