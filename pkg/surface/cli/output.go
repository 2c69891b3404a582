package cli

import (
	"bytes"
	"encoding/json"
	"fmt"

	"gopkg.in/yaml.v3"

	"assess/pkg/kernel/wire"
)

// Print prints a list: an array in JSON and YAML, a line each in CSV and tables.
// Without columns the table has the columns of the CSV.
func Print[T any](s *Shell, rows []T, columns ...Column[T]) error {
	if rows == nil {
		rows = []T{}
	}
	return PrintPage(s, rows, rows, columns...)
}

// PrintPage prints one page of a list: JSON and YAML show the page as the HTTP interface
// answers it, CSV and tables its rows.
func PrintPage[T any](s *Shell, page any, rows []T, columns ...Column[T]) error {
	if s.Format == FormatCSV {
		return writeCSV(s.Screen, rows)
	}
	return s.Show(page, func(screen *Screen) error {
		if len(rows) == 0 {
			s.Note("Nothing found.")
			return nil
		}
		return writeTable(screen, rows, columns)
	})
}

// PrintOne prints one thing: an object in JSON and YAML, one line in CSV, and for people
// a line a field.
func PrintOne[T any](s *Shell, value T, columns ...Column[T]) error {
	return s.Show(value, func(screen *Screen) error { return writeFields(screen, value, columns) })
}

// Show prints a value that people see as more than a table: draw makes the view of a
// report out of tables, bars and headings.
func (s *Shell) Show(value any, draw func(*Screen) error) error {
	switch s.Format {
	case FormatJSON:
		return s.json(value)
	case FormatYAML:
		return writeYAML(s.Screen, value)
	case FormatCSV:
		return writeCSV(s.Screen, []any{value})
	default:
		return draw(s.Screen)
	}
}

func writeJSON(screen *Screen, value any) error {
	body, err := wire.Marshal(value)
	var out bytes.Buffer
	if err == nil {
		err = json.Indent(&out, body, "", "  ")
	}
	if err != nil {
		return fmt.Errorf("write JSON: %w", err)
	}
	out.WriteByte('\n')
	_, err = screen.Write(out.Bytes())
	return err
}

// writeYAML goes through JSON, so that names, order and times are the same.
func writeYAML(screen *Screen, value any) error {
	t, err := treeOf(value)
	if err != nil {
		return fmt.Errorf("write YAML: %w", err)
	}
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	err = e.Encode(t.yaml())
	if err != nil {
		return fmt.Errorf("write YAML: %w", err)
	}
	_, err = screen.Write(out.Bytes())
	return err
}
