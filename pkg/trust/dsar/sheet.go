package dsar

import (
	"bufio"
	"encoding/json"
	"io"

	"assess/pkg/kernel/sheet"
)

// jsonFile writes the tables of a domain as one JSON object: {"tableName": [{"column": ...}, ...]}.
type jsonFile struct {
	to            *bufio.Writer
	tables, lines int
}

func newJSONFile(to io.Writer) *jsonFile {
	f := &jsonFile{to: bufio.NewWriter(to)}
	f.to.WriteString("{") //nolint:errcheck // Flush says so, here and below
	return f
}

// table begins a list.
func (f *jsonFile) table(name string) {
	if f.tables > 0 {
		f.to.WriteString("],") //nolint:errcheck
	}
	f.tables, f.lines = f.tables+1, 0
	f.to.WriteString("\n\"" + camel(name) + "\": [") //nolint:errcheck
}

// row adds a record to the list.
func (f *jsonFile) row(columns []column, cells []json.RawMessage) {
	if f.lines > 0 {
		f.to.WriteByte(',') //nolint:errcheck
	}
	f.lines++
	f.to.WriteString("\n  {") //nolint:errcheck
	for i, c := range columns {
		if i > 0 {
			f.to.WriteString(", ") //nolint:errcheck
		}
		f.to.WriteString("\"" + camel(c.name) + "\": ") //nolint:errcheck
		f.to.Write(orNull(cells[i]))                    //nolint:errcheck
	}
	f.to.WriteByte('}') //nolint:errcheck
}

func orNull(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return raw
}

// end ends the object.
func (f *jsonFile) end() error {
	if f.tables > 0 {
		f.to.WriteString("]") //nolint:errcheck
	}
	f.to.WriteString("\n}\n") //nolint:errcheck
	return f.to.Flush()
}

// csvFile writes the rows of one table.
type csvFile struct{ to *sheet.Writer }

func newCSVFile(to io.Writer, columns []column) (*csvFile, error) {
	f := &csvFile{sheet.NewWriter(to)}
	var heads []string
	for _, c := range columns {
		heads = append(heads, title(c.name))
	}
	return f, f.to.Write(heads)
}

func (f *csvFile) row(cells []json.RawMessage) error {
	line := make([]string, len(cells))
	for i, c := range cells {
		line[i] = text(c)
	}
	return f.to.Write(line)
}

func (f *csvFile) end() error {
	f.to.Flush()
	return f.to.Error()
}
