// Package wire writes JSON for everybody outside: answers of the HTTP interface and what the
// command line prints. It is encoding/json except for times, which have one form here: RFC 3339,
// UTC, three digits of milliseconds. encoding/json leaves out zeros at their end, so that they
// would come in several lengths and not sort as text.
//
// Hashes and stored data keep to encoding/json and to canonical JSON (package content).
package wire
