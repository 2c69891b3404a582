// Package sheet writes tables that people open in a spreadsheet: as CSV, or as XLSX, cell for cell the
// same. Nothing reads them back in.
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
// time.Time, or nil for one that is empty. Whoever has made a sheet closes it.
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
	return text{csv.NewWriter(to)}, nil
}

// text is a sheet in CSV: times in RFC 3339, UTC; words that a spreadsheet would take for a formula
// begin with an apostrophe.
type text struct{ to *csv.Writer }

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
		return wire.Tame(c)
	case float64:
		return strconv.FormatFloat(c, 'f', -1, 64)
	case time.Time:
		return wire.Instant(c)
	}
	return fmt.Sprint(cell)
}
