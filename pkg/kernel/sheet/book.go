package sheet

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/xuri/excelize/v2"

	"assess/pkg/kernel/errs"
)

// book is a sheet in XLSX. Its lines wait in memory up to some megabytes, and then in a file that loses
// its name at once, so that a crash leaves no names of people behind.
type book struct {
	file  *excelize.File
	table *excelize.StreamWriter
	to    io.Writer
	dir   string
	lines int
}

// hideEvery is how many lines may pass before the file of a large book loses its name.
const hideEvery = 1_000

func newBook(to io.Writer) (*book, error) {
	dir, err := os.MkdirTemp("", "assess-")
	if err != nil {
		return nil, fmt.Errorf("begin sheet: %w", err)
	}
	b := &book{file: excelize.NewFile(excelize.Options{TmpDir: dir}), to: to, dir: dir}
	b.table, err = b.file.NewStreamWriter(b.file.GetSheetName(0))
	if err != nil {
		b.Close()
		return nil, fmt.Errorf("begin sheet: %w", err)
	}
	return b, nil
}

func (b *book) Line(cells []any) error {
	b.lines++
	if b.lines > excelize.TotalRows {
		return errs.Invalid(errs.Field{Path: "format", Code: "too_many", Message: fmt.Sprintf("an XLSX file has at most %d lines: take csv, or narrow what is exported", excelize.TotalRows)})
	}
	for i, c := range cells {
		if at, is := c.(time.Time); is {
			cells[i] = at.UTC()
		}
	}
	return errors.Join(b.table.SetRow(fmt.Sprintf("A%d", b.lines), cells), b.hide())
}

// hide takes the name of the file away that lines wait in.
func (b *book) hide() error {
	if b.lines%hideEvery != 0 {
		return nil
	}
	names, err := filepath.Glob(filepath.Join(b.dir, "*"))
	for _, name := range names {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

func (b *book) Finish() error {
	err := b.table.Flush()
	if err != nil {
		return err
	}
	return b.file.Write(b.to)
}

func (b *book) Close() {
	b.file.Close()      //nolint:errcheck // the file of the lines has no name any more, which it complains about
	os.RemoveAll(b.dir) //nolint:errcheck // it is empty
}
