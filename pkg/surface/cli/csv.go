package cli

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"assess/pkg/kernel/sheet"
)

// writeCSV writes a header and a line a row (RFC 4180). The header follows from the type
// of the rows, so that a script finds the same columns for all data; only the keys
// of maps come from the data, sorted.
func writeCSV[T any](screen *Screen, rows []T) error {
	header, lines, err := flatten(rows)
	if err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	w := sheet.NewWriter(screen)
	err = w.WriteAll(append([][]string{header}, lines...))
	if err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}

// flatten gives the header and the cells of all rows.
func flatten[T any](rows []T) ([]string, [][]string, error) {
	cells := make([]map[string]string, len(rows))
	found := map[string]bool{}
	for i, row := range rows {
		t, err := treeOf(row)
		if err != nil {
			return nil, nil, err
		}
		cells[i] = map[string]string{}
		t.cells("", cells[i])
		for path := range cells[i] {
			found[path] = true
		}
	}
	header := columnsOf(rowType(rows), found)
	lines := make([][]string, len(rows))
	for i := range cells {
		for _, path := range header {
			lines[i] = append(lines[i], cells[i][path])
		}
	}
	return header, lines, nil
}

// rowType looks through an interface at the first row.
func rowType[T any](rows []T) reflect.Type {
	t := reflect.TypeFor[T]()
	if t.Kind() == reflect.Interface && len(rows) > 0 {
		return reflect.TypeOf(rows[0])
	}
	return t
}

// columnsOf orders the paths of a type; under a map come the paths that were found.
func columnsOf(t reflect.Type, found map[string]bool) []string {
	var header []string
	for _, path := range paths("", t, nil) {
		var below []string
		for f := range found {
			if strings.HasPrefix(f, path+".") || (path == "" && f != "") {
				below = append(below, f)
			}
		}
		slices.Sort(below)
		if len(below) == 0 {
			below = []string{cmp.Or(path, "value")}
		}
		header = append(header, below...)
	}
	return header
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// paths lists the dotted JSON names of a type's fields. A type that writes itself, or
// contains itself, is one column.
func paths(path string, t reflect.Type, outer []reflect.Type) []string {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct || slices.Contains(outer, t) || writesItself(t) {
		return []string{path}
	}
	var out []string
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			out = append(out, paths(path, field.Type, append(outer, t))...)
		case !field.IsExported() || name == "-":
		default:
			out = append(out, paths(join(path, cmp.Or(name, field.Name)), field.Type, append(outer, t))...)
		}
	}
	return out
}

func writesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(jsonMarshaler) || p.Implements(textMarshaler)
}
