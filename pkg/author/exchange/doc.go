// Package exchange reads and writes question banks in the formats of other systems.
//
// A format is a package with a reader, a writer or both, and a row in Formats. All of them share the form
// of package bank, so that any of them turns into any other; Read finds the format by the first bytes. A reader
// streams: memory grows with an item and not with the bank.
package exchange
