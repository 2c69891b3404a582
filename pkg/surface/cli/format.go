package cli

import (
	"fmt"
	"slices"
	"strings"
)

// Format is how results are printed.
type Format string

// The formats.
const (
	FormatTable Format = "table"
	FormatJSON  Format = "json"
	FormatCSV   Format = "csv"
	FormatYAML  Format = "yaml"
)

var formats = []string{string(FormatTable), string(FormatJSON), string(FormatCSV), string(FormatYAML)}

// String is the value of the flag.
func (f *Format) String() string { return string(*f) }

// Set reads the flag.
func (f *Format) Set(text string) error {
	if !slices.Contains(formats, text) {
		return fmt.Errorf("expected %s", strings.Join(formats, ", "))
	}
	*f = Format(text)
	return nil
}

// Type names the flag's kind of value in help texts.
func (f *Format) Type() string { return "format" }
