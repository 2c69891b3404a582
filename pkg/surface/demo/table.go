package demo

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// FileError is a problem in one file of a data set. Line counts from 1, the header
// being line 1, and is 0 when the problem is the file's as a whole; Column is the name
// in the header, empty when the problem is the line's as a whole.
type FileError struct {
	File   string
	Line   int
	Column string
	Reason string
}

// Error names file, line, column and reason: "items.csv:7: key: ...".
func (e *FileError) Error() string {
	out := e.File
	if e.Line > 0 {
		out = fmt.Sprintf("%s:%d", out, e.Line)
	}
	if e.Column != "" {
		out += ": " + e.Column
	}
	return out + ": " + e.Reason
}

// table is a CSV file in memory: a header and rows of the same width.
type table struct {
	file    string
	columns []string
	index   map[string]int
	rows    []row
}

type row struct {
	table *table
	line  int
	cells []string
}

// readTable reads a file that must have the required columns. A missing file is an
// error that satisfies errors.Is(err, fs.ErrNotExist).
func readTable(fsys fs.FS, file string, required ...string) (*table, error) {
	content, err := fs.ReadFile(fsys, file)
	if err != nil {
		return nil, fmt.Errorf("demo: read data set: %w", err)
	}
	reader := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(content, []byte("\ufeff"))))
	t := &table{file: file, index: map[string]int{}}
	for {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, t.syntaxError(err)
		}
		line, _ := reader.FieldPos(0)
		if t.columns == nil {
			t.columns = cells
			continue
		}
		t.rows = append(t.rows, row{t, line, cells})
	}
	return t, t.indexColumns(required)
}

func (t *table) indexColumns(required []string) error {
	if t.columns == nil {
		return &FileError{File: t.file, Reason: "the file is empty"}
	}
	for i, name := range t.columns {
		if _, again := t.index[name]; again {
			return &FileError{t.file, 1, name, "the column appears twice"}
		}
		t.index[name] = i
	}
	for _, name := range required {
		if _, ok := t.index[name]; !ok {
			return &FileError{t.file, 1, name, "the column is missing"}
		}
	}
	return nil
}

func (t *table) syntaxError(err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return &FileError{File: t.file, Reason: err.Error()}
	}
	return &FileError{t.file, parse.Line, "", fmt.Sprintf("at byte %d: %v", parse.Column, parse.Err)}
}

// cell is the content of a column; empty when the file has no such column.
func (r row) cell(column string) string {
	i, ok := r.table.index[column]
	if !ok {
		return ""
	}
	return r.cells[i]
}

func (r row) fail(column, format string, args ...any) error {
	return &FileError{r.table.file, r.line, column, fmt.Sprintf(format, args...)}
}

// encode writes rows as CSV. A bytes.Buffer takes every write, so there is no error.
func encode(rows [][]string) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	for _, cells := range rows {
		_ = w.Write(cells)
	}
	w.Flush()
	return out.Bytes()
}
