package sheet

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"assess/pkg/kernel/errs"
)

var at = time.Date(2031, 3, 1, 9, 30, 0, 0, time.FixedZone("", 3600))

func written(t *testing.T, format string, lines ...[]any) []byte {
	t.Helper()
	var file bytes.Buffer
	s, err := New(format, &file)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, line := range lines {
		if err := s.Line(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestCSV(t *testing.T) {
	t.Parallel()
	got := string(written(t, CSV, []any{"name", "n"}, []any{"=1+1", 3}, []any{nil, 0.3}, []any{true, at}, []any{"a,\"b\"\nc", -1.5}))
	want := ByteOrderMark + "name,n\n'=1+1,3\n,0.3\ntrue,2031-03-01T08:30:00.000Z\n\"a,\"\"b\"\"\nc\",-1.5\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A spreadsheet shows numbers as numbers, times as times, and words as they are: what begins with =
// stays a text.
func TestXLSX(t *testing.T) {
	t.Parallel()
	file, err := excelize.OpenReader(bytes.NewReader(written(t, XLSX, []any{"name", "n"}, []any{"=1+1", 3}, []any{nil, 2.5}, []any{true, at})))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	tab := file.GetSheetName(0)
	for cell, want := range map[string]string{"A1": "name", "A2": "=1+1", "B2": "3", "A3": "", "B3": "2.5", "A4": "TRUE", "B4": "3/1/31 08:30"} {
		got, err := file.GetCellValue(tab, cell)
		if err != nil || got != want {
			t.Errorf("%s is %q, %v; want %q", cell, got, err, want)
		}
	}
	if formula, _ := file.GetCellFormula(tab, "A2"); formula != "" {
		t.Errorf("a text has become the formula %q", formula)
	}
	if kind, _ := file.GetCellType(tab, "B2"); kind != excelize.CellTypeNumber && kind != excelize.CellTypeUnset {
		t.Errorf("a number is a cell of type %d", kind)
	}
}

// Lines that do not fit into memory wait in a file without a name, and nothing is left of it.
func TestLargeBookLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	b, err := newBook(&file)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("word ", 200)
	for range 40 * hideEvery {
		if err := b.Line([]any{long}); err != nil {
			t.Fatal(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(b.dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("found %v, %v", left, err)
	}
	if err := b.Finish(); err != nil || file.Len() == 0 {
		t.Errorf("%d bytes, %v", file.Len(), err)
	}
	b.Close()
	if _, err := os.Stat(b.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder: %v", err)
	}
}

func TestABookHasNoMoreLinesThanSpreadsheetsRead(t *testing.T) {
	t.Parallel()
	b := &book{lines: excelize.TotalRows}
	if err := b.Line([]any{1}); !errors.Is(err, errs.ValidationFailed) || errs.Of(err).Fields[0].Path != "format" {
		t.Errorf("got %v", err)
	}
}
