// Package sheet writes tables that people open in a spreadsheet: as CSV, or as XLSX, cell for cell the
// same. All CSV for people is written here: in UTF-8 with a byte order mark, which spreadsheets look for, and
// with formulas tamed.
package sheet

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"time"

	"assess/pkg/kernel/wire"
)

// The formats of a sheet.
const (
	CSV  = "csv"
	XLSX = "xlsx"
)

// Formats are all of them, the default one first.
var Formats = []string{CSV, XLSX}

// Sheet takes a table line by line, its heads first. A cell is a string, an int, a float64, a bool, a
// time.Time, or nil for one that is empty. The code that made a sheet closes it.
type Sheet interface {
	Line(cells []any) error
	// Finish completes the file.
	Finish() error
	// Close gives up what the sheet holds, complete or not.
	Close()
}

// New begins a sheet of a format. One of XLSX writes nothing to its reader before Finish.
func New(format string, to io.Writer) (Sheet, error) {
	if format == XLSX {
		return newBook(to)
	}
	return text{NewWriter(to)}, nil
}

// Writer writes CSV for people.
type Writer struct {
	to    io.Writer
	lines *csv.Writer
	begun bool
}

// NewWriter begins a file; nothing is written before its first line.
func NewWriter(to io.Writer) *Writer { return &Writer{to: to, lines: csv.NewWriter(to)} }

// ByteOrderMark begins a file.
const ByteOrderMark = "\ufeff"

// Write adds a line.
func (w *Writer) Write(cells []string) error {
	if !w.begun {
		w.begun = true
		if _, err := io.WriteString(w.to, ByteOrderMark); err != nil {
			return err
		}
	}
	tame := make([]string, len(cells))
	for i, cell := range cells {
		tame[i] = Tame(cell)
	}
	return w.lines.Write(tame)
}

// WriteAll adds lines and flushes.
func (w *Writer) WriteAll(lines [][]string) error {
	for _, line := range lines {
		if err := w.Write(line); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// Flush hands on what waits; Error says whether that failed.
func (w *Writer) Flush() { w.lines.Flush() }

// Error gives the first error of a Write or Flush.
func (w *Writer) Error() error { return w.lines.Error() }

// text is a sheet in CSV: times in RFC 3339, UTC.
type text struct{ to *Writer }

func (t text) Line(cells []any) error {
	line := make([]string, len(cells))
	for i, c := range cells {
		line[i] = inText(c)
	}
	return t.to.Write(line)
}

func (t text) Finish() error {
	t.to.Flush()
	return t.to.Error()
}

func (t text) Close() {}

func inText(cell any) string {
	switch c := cell.(type) {
	case nil:
		return ""
	case string:
		return c
	case float64:
		return strconv.FormatFloat(c, 'f', -1, 64)
	case time.Time:
		return wire.Instant(c)
	}
	return fmt.Sprint(cell)
}
