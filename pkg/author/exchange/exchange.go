package exchange

import (
	"bytes"
	"io"
	"strings"

	"assess/pkg/author/exchange/aiken"
	"assess/pkg/author/exchange/bank"
	"assess/pkg/author/exchange/gift"
	"assess/pkg/author/exchange/markup"
	"assess/pkg/author/exchange/moodle"
	"assess/pkg/author/exchange/qti"
	"assess/pkg/author/exchange/table"
	"assess/pkg/kernel/scoring"
)

// Format is a format of question banks.
type Format struct {
	Name string
	// Title is its name for people, Ending the ending of its files.
	Title, Ending string
	// is says whether the first bytes of a file are of the format; begin is their text.
	is func(data []byte, begin string) bool
	// read reads a file, write begins one; either may be nil.
	read  func(input Input, take func(*bank.Item) error) error
	write func(out io.Writer) Writer
	// tests reads the tests of a file; nil for a format without any.
	tests func(input Input, take func(*bank.Test) error) error
}

// Input is a file: archives are read from several places.
type Input interface {
	io.Reader
	io.ReaderAt
	Size() int64
}

// Writer writes items. Add notes in an item what the format cannot say, and leaves out items that it cannot hold.
type Writer interface {
	Add(it *bank.Item) error
	Close() error
}

// TestWriter is a Writer that writes tests too, after the items that they name. AddTest notes in a test what the format cannot say,
// and leaves out tests that it cannot hold.
type TestWriter interface {
	Writer
	AddTest(t *bank.Test) error
}

// Formats has a row for each format, in the order in which they are tried.
var Formats = []Format{
	{Name: "qti", Title: "QTI", Ending: ".zip", is: isQTI, read: func(input Input, take func(*bank.Item) error) error { return qti.Read(input, input.Size(), take) },
		write: func(out io.Writer) Writer { return qti.NewWriter(out) },
		tests: func(input Input, take func(*bank.Test) error) error { return qti.ReadTests(input, input.Size(), take) }},
	{Name: "moodle_xml", Title: "Moodle XML", Ending: ".xml", is: root("quiz"), read: stream(moodle.Read),
		write: func(out io.Writer) Writer { return moodle.NewWriter(out) }},
	{Name: "aiken", Title: "Aiken", Ending: ".txt", is: isAiken, read: stream(aiken.Read)},
	{Name: "gift", Title: "GIFT", Ending: ".gift", is: isGIFT, read: stream(gift.Read),
		write: func(out io.Writer) Writer { return gift.NewWriter(out) }},
	{Name: "csv", Title: "CSV of this service", Ending: ".csv", is: func([]byte, string) bool { return false },
		write: func(out io.Writer) Writer { return table.NewWriter(out) }},
}

func stream(read func(io.Reader, func(*bank.Item) error) error) func(Input, func(*bank.Item) error) error {
	return func(input Input, take func(*bank.Item) error) error { return read(input, take) }
}

// looked is the number of bytes of a file that are read to find its format.
const looked = 64 << 10

// Find gives the format of a file by its first bytes.
func Find(input Input) (Format, error) {
	data := make([]byte, min(looked, input.Size()))
	n, err := input.ReadAt(data, 0)
	if err != nil && err != io.EOF { //nolint:errorlint // ReadAt gives it bare
		return Format{}, err
	}
	data = data[:n]
	begin := markup.Decode(data)
	for _, f := range Formats {
		if f.is(data, begin) {
			return f, nil
		}
	}
	return Format{}, &bank.Problem{Code: bank.UnknownFormat, Message: "the file is in none of the formats " + scoring.InWords(Readable())}
}

// Named gives the format of a name, one that is read.
func Named(name string) (Format, error) {
	for _, f := range Formats {
		if f.Name == name && f.read != nil {
			return f, nil
		}
	}
	return Format{}, &bank.Problem{Code: bank.UnknownFormat, Message: "expected " + scoring.InWords(Readable())}
}

// Readable and Writable list the names of the formats that can be read, and of the formats that can be written.
func Readable() []string { return names(func(f Format) bool { return f.read != nil }) }

// Writable is described at Readable.
func Writable() []string { return names(Format.Writes) }

func names(which func(Format) bool) []string {
	var all []string
	for _, f := range Formats {
		if which(f) {
			all = append(all, f.Name)
		}
	}
	return all
}

// Read reads the items of a file; if two items have one id, it is a problem of the second. An error of take ends it.
func (f Format) Read(input Input, take func(*bank.Item) error) error {
	seen := map[string]bool{}
	return f.read(input, func(it *bank.Item) error {
		it.Check()
		if seen[it.ID] {
			it.Refuse(bank.DuplicateID, "another item has the id "+it.ID)
		}
		seen[it.ID] = true
		return take(it)
	})
}

// Reads says whether files of the format are read.
func (f Format) Reads() bool { return f.read != nil }

// Writes says whether files of the format are written.
func (f Format) Writes() bool { return f.write != nil }

// HasTests says whether files of the format may hold tests.
func (f Format) HasTests() bool { return f.tests != nil }

// ReadTests reads the tests of a file. A test whose id another one has is a problem. An error of take ends it.
func (f Format) ReadTests(input Input, take func(*bank.Test) error) error {
	seen := map[string]bool{}
	return f.tests(input, func(t *bank.Test) error {
		if seen[t.ID] {
			t.Refuse(bank.DuplicateID, "another test has the id "+t.ID)
		}
		seen[t.ID] = true
		return take(t)
	})
}

// NewWriter writes a file to out, which stays open.
func (f Format) NewWriter(out io.Writer) Writer { return f.write(out) }

// root finds XML by its first element.
func root(names ...string) func([]byte, string) bool {
	return func(data []byte, begin string) bool {
		found := rootOf(data, begin)
		for _, name := range names {
			if found == name {
				return true
			}
		}
		return false
	}
}

// rootOf gives the name of the first element, without its prefix.
func rootOf(_ []byte, begin string) string {
	rest := strings.TrimSpace(begin)
	if !strings.HasPrefix(rest, "<") {
		return ""
	}
	for strings.HasPrefix(rest, "<?") || strings.HasPrefix(rest, "<!") {
		end := ">"
		switch declared := strings.IndexByte(rest, '['); {
		case strings.HasPrefix(rest, "<!--"):
			end = "-->"
		case strings.HasPrefix(rest, "<!") && declared > 0 && declared < strings.IndexByte(rest, '>'):
			end = "]"
		}
		_, after, found := strings.Cut(rest, end)
		if !found {
			return ""
		}
		rest = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(after), ">"))
	}
	name := strings.TrimPrefix(rest, "<")
	if at := strings.IndexAny(name, " \t\r\n/>"); at >= 0 {
		name = name[:at]
	}
	if _, local, prefixed := strings.Cut(name, ":"); prefixed {
		return local
	}
	return name
}

// isQTI finds an archive, and a file with a root of QTI.
func isQTI(data []byte, begin string) bool {
	return bytes.HasPrefix(data, []byte("PK\x03\x04")) || bytes.HasPrefix(data, []byte("PK\x05\x06")) ||
		root("questestinterop", "assessmentItem", "assessmentTest", "qti-assessment-item", "qti-assessment-test")(data, begin)
}

// isAiken finds the line that ends a question.
func isAiken(_ []byte, begin string) bool {
	for line := range strings.SplitSeq(begin, "\n") {
		if aiken.AnswerLine.MatchString(strings.TrimSpace(line)) {
			return !strings.Contains(begin, "::")
		}
	}
	return false
}

// isGIFT finds text with answers in braces, or with a title between colons.
func isGIFT(data []byte, begin string) bool {
	trimmed := strings.TrimSpace(begin)
	if trimmed == "" || trimmed[0] == '<' || bytes.IndexByte(data, 0) >= 0 && !bytes.HasPrefix(data, []byte("\xff\xfe")) && !bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return false
	}
	first := trimmed[0]
	return first != '{' && first != '[' && strings.ContainsRune(trimmed, '{') || strings.Contains(trimmed, "::") || strings.HasPrefix(trimmed, "$CATEGORY:") ||
		first == '[' && formatMark(trimmed) || first == '{' && strings.Contains(trimmed, "=")
}

func formatMark(s string) bool {
	for _, format := range []string{markup.FormatHTML, markup.FormatMoodle, markup.FormatPlain, markup.FormatMarkdown} {
		if strings.HasPrefix(s, "["+format+"]") {
			return true
		}
	}
	return false
}
