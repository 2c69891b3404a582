package cli

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
)

// columns makes the columns of a result type from the names of its fields:
//
//	columns("ExternalID, Name, Current.Number = Version, UpdatedAt, ID*", own...)
//
// The type of a field decides how it is written: times as moments in UTC, numbers on the right,
// yes and no, a dash for a missing value, and codes in words. Its header is its name, or the text after "=". A star
// makes the column spare. An own column replaces the one with its header; without a Cell it only
// colours the column of the field.
//
// A name that is neither ends the program at once, so that no column is lost when a field is
// renamed.
func columns[T any](names string, own ...Column[T]) []Column[T] {
	var out []Column[T]
	for _, name := range strings.Split(names, ",") {
		name = strings.TrimSpace(name)
		_, header, named := strings.Cut(strings.TrimSuffix(name, "*"), " = ")
		if !named {
			header = name
		}
		i := slices.IndexFunc(own, func(c Column[T]) bool { return c.Header == header })
		switch {
		case i < 0:
			out = append(out, fieldColumn[T](name))
		case own[i].Cell == nil:
			column := fieldColumn[T](name)
			column.Colour = own[i].Colour
			out = append(out, column)
		default:
			out = append(out, own[i])
		}
	}
	return out
}

// fieldColumn makes the column of one field: "Current.Number = Version", "ID*".
func fieldColumn[T any](name string) Column[T] {
	name, spare := strings.CutSuffix(name, "*")
	path, header, named := strings.Cut(name, " = ")
	kind := reflect.TypeFor[T]()
	var index [][]int
	coded := false
	for _, word := range strings.Split(path, ".") {
		field, ok := kind.FieldByName(word)
		if !ok {
			panic(fmt.Sprintf("%s has no field %s", kind, word))
		}
		index = append(index, field.Index)
		kind, coded = field.Type, isCoded(field)
	}
	if !named {
		header = headerOf(path, kind)
	}
	_ = cellText(reflect.Zero(kind)) // a type that cannot be written is found here, and not when somebody first prints one
	return Column[T]{Header: header, Align: alignOf(kind), Spare: spare, Cell: func(row T) string {
		value := reflect.ValueOf(row)
		for _, i := range index {
			value = value.FieldByIndex(i)
		}
		if coded {
			return inWords(value)
		}
		return cellText(value)
	}}
}

// codeFields are the names of fields whose codes no tag lists.
var codeFields = []string{"BlockedReason", "ErrorCode", "ExtensionReason", "ReasonCode"}

// codeShapes are the shapes of fields that hold a code.
var codeShapes = []string{"error code", "invalid code", "outcome of one", "question type"}

// isCoded says whether a field holds a code, which people see in words, or a list of them.
func isCoded(f reflect.StructField) bool {
	kind := f.Type
	if kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	if kind.Kind() != reflect.String {
		return false
	}
	return f.Tag.Get("enum") != "" || kind != reflect.TypeFor[string]() || slices.Contains(codeFields, f.Name) || slices.Contains(codeShapes, f.Tag.Get("shape"))
}

// inWords writes a code, or a list of them, as people say it.
func inWords(value reflect.Value) string {
	if value.Kind() != reflect.Slice {
		return wire.Words(cellText(value))
	}
	var all []string
	for i := range value.Len() {
		all = append(all, wire.Words(value.Index(i).String()))
	}
	return strings.Join(all, ", ")
}

// headerOf makes words of the last name of a path: "UpdatedAt" is "Updated (UTC)", "OrgUnitID" is "Org unit".
func headerOf(path string, kind reflect.Type) string {
	name := path[strings.LastIndex(path, ".")+1:]
	if kind == reflect.TypeFor[time.Time]() || kind == reflect.TypeFor[*time.Time]() {
		return asWords(strings.TrimSuffix(name, "At")) + " (UTC)"
	}
	if short := strings.TrimSuffix(name, "ID"); short != "" && (kind == reflect.TypeFor[ids.ID]() || kind == reflect.TypeFor[*ids.ID]()) {
		return asWords(short)
	}
	return asWords(name)
}

// asWords writes a name of Go as words: "ExternalID" is "External id".
func asWords(name string) string {
	var out strings.Builder
	letters := []rune(name)
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(letters[i-1]) {
			out.WriteByte(' ')
		}
		if i > 0 {
			r = unicode.ToLower(r)
		}
		out.WriteRune(r)
	}
	return out.String()
}

func alignOf(kind reflect.Type) Align {
	if kind.Kind() == reflect.Pointer {
		kind = kind.Elem()
	}
	switch kind.Kind() {
	case reflect.Int, reflect.Int64, reflect.Float64:
		return Right
	}
	return Left
}

func cellText(value reflect.Value) string {
	switch v := value.Interface().(type) {
	case time.Time:
		return moment(v)
	case *time.Time:
		return optionalMoment(v)
	case *ids.ID:
		return orNone(v)
	case fmt.Stringer:
		return v.String()
	case []ids.ID:
		return words(v, ids.ID.String)
	case json.RawMessage:
		return string(v)
	case []string:
		return strings.Join(v, ", ")
	}
	switch value.Kind() {
	case reflect.String:
		return value.String()
	case reflect.Bool:
		return yesNo(value.Bool())
	case reflect.Int, reflect.Int64:
		return strconv.FormatInt(value.Int(), 10)
	case reflect.Pointer:
		if value.IsNil() {
			_ = cellText(reflect.Zero(value.Type().Elem()))
			return none
		}
		return cellText(value.Elem())
	}
	panic(fmt.Sprintf("columns do not know how to write %s", value.Type()))
}
