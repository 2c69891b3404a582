package content

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// object expects an object; nil, which reads as one without fields, when it is not.
func (r *reader) object(path string, value any) map[string]any {
	m, ok := value.(map[string]any)
	if !ok {
		r.spoil(path, CodeWrongType, "expected an object")
	}
	return m
}

func (r *reader) onlyFields(path string, m map[string]any, allowed ...string) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if !slices.Contains(allowed, name) {
			r.spoil(member(path, name), CodeUnknownField, "there is no such field here")
		}
	}
}

// read gives the field of an object, or the zero value when it is absent or of another
// type; the latter is reported.
func read[T string | bool | json.Number | []any | map[string]any](r *reader, path string, m map[string]any, name string) T {
	var zero T
	value, given := m[name]
	if !given {
		return zero
	}
	typed, ok := value.(T)
	if !ok {
		r.spoil(member(path, name), CodeWrongType, "expected "+jsonTypeOf(zero))
	}
	return typed
}

func jsonTypeOf(value any) string {
	switch value.(type) {
	case string:
		return "a string"
	case bool:
		return "true or false"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	default:
		return "a number"
	}
}

func (r *reader) integer(path string, m map[string]any, name string) int {
	number := read[json.Number](r, path, m, name)
	if number == "" {
		return 0
	}
	n, err := strconv.Atoi(number.String())
	if err != nil {
		r.spoil(member(path, name), CodeWrongType, "expected an integer")
	}
	return n
}

// readAll reads the elements of an array field: nil when the field is absent.
func readAll[T any](r *reader, path string, m map[string]any, name string, one func(string, any) T) []T {
	values := read[[]any](r, path, m, name)
	if values == nil {
		return nil
	}
	list := make([]T, 0, len(values))
	for i, value := range values {
		list = append(list, one(element(member(path, name), i), value))
	}
	return list
}
