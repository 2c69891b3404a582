package intake

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
	"unicode/utf8"

	"assess/pkg/author/authoring"
	"assess/pkg/author/exchange"
	"assess/pkg/author/exchange/bank"
)

// The limits of a file; the surfaces bound its bytes.
const (
	maxRows      = 200_000
	maxColumns   = 1_000
	maxCellBytes = 1 << 20
)

// An import works for a while and rests for a moment.
const (
	workTime = 300 * time.Microsecond
	restTime = 50 * time.Microsecond
)

// delimiters are tried in this order; the first of equals wins.
var delimiters = []rune{',', ';', '\t'}

// file is a CSV file that is being read, with everything found wrong so far.
type file struct {
	findings
	header  header
	columns []column
	reader  *csv.Reader
	// rowCount counts the rows read so far, empty ones left out.
	rowCount int
	// chunk holds the rows that are being planned.
	chunk []row
	// publishing counts the evaluations that the file publishes.
	publishing int
	// links says which question belongs to which passage after the rows so far.
	links *authoring.LinkPlan
	// bank, where there is one, is the format of a question bank, and data its bytes: rows are its items, or its tests.
	bank  exchange.Format
	tests bool
	data  []byte
	// report collects what items lose, accepted counts the items that are taken though they are scored differently.
	report   exchange.Report
	accepted int
	// decimal says which sign begins the decimals; empty: a point, or a comma that can be nothing else.
	decimal string
	// numbers are the numbers that were read from the first rows, by line.
	numbers map[int][]ReadNumber
	// rested is when others last had the processor.
	rested time.Time
}

// row is one row of a file.
type row struct {
	file *file
	// line is where the row begins; a quoted cell may span lines.
	line  int
	cells []string
	// lines says where each cell begins; nil where all do so on the line of the row.
	lines []int
	// item is the item of a question bank, which has no cells, and pictures are its files; test is a test of one.
	item     *bank.Item
	test     *bank.Test
	pictures []picture
}

// open reads the header; without a delimiter it finds that, too.
func open(in Input, columns []column) *file {
	f := &file{findings: newFindings(), columns: columns, decimal: in.Decimal, numbers: map[int][]ReadNumber{}}
	if in.bank.Reads() {
		f.bank, f.tests, f.data, f.columns, f.header.at = in.bank, in.tests, in.Data, nil, map[string]int{}
		return f
	}
	data, is := asText(in.Data)
	if is != "" {
		f.fail(1, "", "not_csv", "this is "+is+saveAsCSV)
		return f
	}
	said, delimiter := toldDelimiter(data), in.Delimiter
	if delimiter == 0 {
		delimiter = said
	}
	if delimiter == 0 {
		delimiter = detect(data, columns)
	}
	f.reader = newReader(data, delimiter)
	var cells []string
	var err error
	if said != 0 {
		_, err = f.reader.Read() // the line that says it
	}
	if err == nil {
		cells, err = firstRecord(f.reader)
	}
	if err != nil {
		f.stop(err)
		return f
	}
	for _, cell := range cells {
		if code, message := unreadable(cell); code != "" {
			line, _ := f.reader.FieldPos(0)
			f.fail(line, "", code, message)
			return f
		}
	}
	f.header = readHeader(cells, columns)
	f.checkHeader()
	return f
}

// firstRecord skips lines that have only delimiters, which spreadsheets write for empty rows.
func firstRecord(r *csv.Reader) ([]string, error) {
	for {
		cells, err := r.Read()
		if err != nil || !isEmpty(cells) {
			return cells, err
		}
	}
}

func newReader(data []byte, delimiter rune) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma = delimiter
	r.FieldsPerRecord = -1
	return r
}

// detect takes the delimiter under which the header has the most known columns.
func detect(data []byte, columns []column) rune {
	best, most := delimiters[0], -1
	for _, d := range delimiters {
		cells, err := firstRecord(newReader(data, d))
		if err != nil || len(cells) > maxColumns {
			continue
		}
		known := len(readHeader(cells, columns).at)
		if known > most {
			best, most = d, known
		}
	}
	return best
}

// unreadable says why a cell is not text.
func unreadable(cell string) (code, message string) {
	switch {
	case !utf8.ValidString(cell):
		return "invalid_utf8", "the file is not UTF-8; save it as \"CSV UTF-8\""
	case strings.IndexByte(cell, 0) >= 0:
		return "nul", "the file holds a NUL byte"
	}
	return "", ""
}

func (f *file) checkHeader() {
	line := 1
	if len(f.header.cells) > 0 {
		line, _ = f.reader.FieldPos(0)
	}
	if len(f.header.cells) > maxColumns {
		f.fail(line, "", "too_many_columns", fmt.Sprintf("at most %d columns", maxColumns))
		return
	}
	for _, name := range f.header.missing(f.columns) {
		f.fail(line, name, "missing_column", "the column is required")
	}
	for _, name := range f.header.repeated {
		f.fail(line, name, "duplicate_column", "another column has the same meaning")
	}
	for _, name := range f.header.unknown {
		f.warn(line, name, "unknown_column", "the column is not known and was left out")
	}
}

// rows yields the rows of the chunk that is being planned.
func (f *file) rows() iter.Seq[row] {
	return func(yield func(row) bool) {
		for _, r := range f.chunk {
			f.rest()
			if !yield(r) {
				return
			}
		}
	}
}

// rest leaves the processor to others for a moment, now and then. Go looks for what the network has brought when a processor has
// nothing to do. Without such moments somebody's answer waits until the runtime interrupts the import, which takes it up to 10 ms.
func (f *file) rest() {
	if time.Since(f.rested) < workTime {
		return
	}
	time.Sleep(restTime)
	f.rested = time.Now()
}

// scan reads the rows one by one. After a syntax error nothing that follows is certain, so
// it ends there.
func (f *file) scan() iter.Seq[row] {
	if f.bank.Reads() {
		return f.bankItems()
	}
	return func(yield func(row) bool) {
		for f.reader != nil {
			f.rest()
			cells, err := f.reader.Read()
			if err != nil {
				f.stop(err)
				return
			}
			if isEmpty(cells) {
				continue
			}
			f.rowCount++
			r := row{file: f, cells: cells}
			r.place()
			if f.rowCount > maxRows {
				f.fail(r.line, "", "too_many_rows", fmt.Sprintf("at most %d rows; split the file", maxRows))
				return
			}
			r.checkCells()
			if !yield(r) {
				return
			}
		}
	}
}

// place says where the row and its cells begin.
func (r *row) place() {
	r.line, _ = r.file.reader.FieldPos(0)
	if last, _ := r.file.reader.FieldPos(len(r.cells) - 1); last == r.line {
		return
	}
	r.lines = make([]int, len(r.cells))
	for i := range r.cells {
		r.lines[i], _ = r.file.reader.FieldPos(i)
	}
}

// lineOf gives the line on which the text of a cell begins.
func (r row) lineOf(name string) int {
	i, there := r.file.header.at[name]
	if !there || i >= len(r.cells) {
		return r.line
	}
	line, cell := r.line, r.cells[i]
	if r.lines != nil {
		line = r.lines[i]
	}
	return line + strings.Count(cell[:len(cell)-len(strings.TrimLeft(cell, " \t\r\n"))], "\n")
}

// stop ends reading; the end of the file is an error only before the header.
func (f *file) stop(err error) {
	f.reader = nil
	var syntax *csv.ParseError
	switch {
	case errors.Is(err, io.EOF) && f.header.at != nil:
	case errors.Is(err, io.EOF):
		f.fail(1, "", "empty_file", "the file has no header")
	case errors.As(err, &syntax):
		// A quote that never closes is noticed at the end of the file; its row is the place.
		f.fail(syntax.StartLine, "", "malformed_csv", fmt.Sprintf("noticed on line %d, byte %d: %v", syntax.Line, syntax.Column, syntax.Err))
	default:
		f.fail(1, "", "malformed_csv", "the file cannot be read with this delimiter")
	}
}

func isEmpty(cells []string) bool {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			return false
		}
	}
	return true
}

func (r row) checkCells() {
	if len(r.cells) > len(r.file.header.cells) && !isEmpty(r.cells[len(r.file.header.cells):]) {
		r.problem("", "too_many_cells", fmt.Sprintf("the row has %d cells and the header %d", len(r.cells), len(r.file.header.cells)))
	}
	for i, cell := range r.cells[:min(len(r.cells), len(r.file.header.cells))] {
		code, message := unreadable(cell)
		if code != "" {
			// The author did not mean the other cells either, as they are read here.
			r.file.unusable = true
			r.cells[i] = strings.ReplaceAll(strings.ToValidUTF8(cell, "\ufffd"), "\x00", "")
		}
		if len(cell) > maxCellBytes {
			code, message = "too_long", fmt.Sprintf("a cell has at most %d bytes", maxCellBytes)
		}
		if code != "" {
			r.problem(r.file.header.names[i], code, message)
		}
	}
}
