package intake

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/sheet"
)

// exportPage is how many records are in memory at once.
const exportPage = 500

// Export says what to export.
type Export struct {
	authoring.ExportFilter
	// Progress, where given, is told after each page how many records are written.
	Progress func(done int)
}

// exported is one kind of export. R is a record as it is stored.
type exported[R any] struct {
	columns []string
	page    func(ctx context.Context, tx *db.Tx, filter authoring.ExportFilter, after ids.ID, limit int) ([]R, error)
	id      func(R) ids.ID
	rows    func(ctx context.Context, tx *db.Tx, filter authoring.ExportFilter, page []R) ([]cells, error)
}

// write streams a file and gives the number of records in it.
func (k exported[R]) write(ctx context.Context, tx *db.Tx, in Export, to io.Writer) (int, error) {
	w := sheet.NewWriter(to)
	done, after := 0, ids.None
	for first := true; ; first = false {
		page, err := k.page(ctx, tx, in.ExportFilter, after, exportPage)
		if err != nil {
			return done, err
		}
		rows, err := k.rows(ctx, tx, in.ExportFilter, page)
		if err != nil {
			return done, err
		}
		lines := make([][]string, 0, len(rows)+1)
		if first {
			lines = append(lines, k.columns)
		}
		for _, one := range rows {
			lines = append(lines, one.in(k.columns))
		}
		err = w.WriteAll(lines)
		if err != nil {
			return done, fmt.Errorf("write export: %w", err)
		}
		done += len(page)
		if in.Progress != nil {
			in.Progress(done)
		}
		if len(page) < exportPage {
			return done, nil
		}
		after = k.id(page[len(page)-1])
	}
}

// cells is a row by the names of its columns.
type cells map[string]string

func (c cells) in(columns []string) []string {
	row := make([]string, len(columns))
	for i, name := range columns {
		row[i] = c[name]
	}
	return row
}

// readBack gives the rows as an import would see them. A carriage return before a line feed
// does not come back from a CSV file; such a row is none.
func readBack(columns []column, rows []cells) []row {
	names, at := make([]string, len(columns)), make(map[string]int, len(columns))
	for i, c := range columns {
		names[i], at[c.name] = c.name, i
	}
	f := &file{findings: newFindings(), columns: columns, header: header{cells: names, at: at}}
	var back []row
	for i, one := range rows {
		written := one.in(names)
		for j, cell := range written {
			written[j] = sheet.Tame(cell)
		}
		if slices.ContainsFunc(written, func(cell string) bool { return strings.Contains(cell, "\r\n") }) {
			return nil
		}
		back = append(back, row{file: f, line: i + 2, cells: written})
	}
	return back
}

// harmless says whether a spreadsheet takes the raw cells of rows only for text.
func harmless(columns []column, rows []cells) bool {
	for _, c := range columns {
		if c.raw && slices.ContainsFunc(rows, func(one cells) bool { return sheet.Tame(one[c.name]) != one[c.name] }) {
			return false
		}
	}
	return true
}

// afterParting is where a spreadsheet may begin another cell of JSON, with a formula.
var afterParting = regexp.MustCompile(`;[=+\-@＝＋－＠]`)

// jsonCell writes JSON that no spreadsheet takes for a formula: parts that look like one are escaped.
func jsonCell(value any) (string, error) {
	raw, err := json.Marshal(value)
	return afterParting.ReplaceAllStringFunc(string(raw), func(found string) string {
		return fmt.Sprintf(`;\u%04x`, []rune(found)[1])
	}), err
}

// sameJSON compares a stored record with the one that an import would store.
func sameJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
