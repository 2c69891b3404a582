package op

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
)

// Source is where a field of an input comes from over HTTP.
type Source string

// The sources of fields.
const (
	InPath  Source = "path"
	InQuery Source = "query"
	InBody  Source = "json"
)

// Field is one field of an input.
type Field struct {
	reflect.StructField
	From Source
	// Name is the name that callers use.
	Name string
	// Noun says which kind of record its id belongs to.
	Noun string
	// Exploded says that a list is sent as one parameter for each of its values.
	Exploded bool
}

// Fields gives the fields of an input, including the fields of structs in it, in their order.
func Fields(input reflect.Type) []Field { return fieldsAt(input, nil) }

// fieldsAt walks itself, since reflect hides the field Page of an embedded Page.
func fieldsAt(kind reflect.Type, index []int) []Field {
	var all []Field
	for i := range kind.NumField() {
		f := kind.Field(i)
		f.Index = append(slices.Clone(index), i)
		if f.Anonymous || f.Tag == "" && f.Type.Kind() == reflect.Struct {
			all = append(all, fieldsAt(f.Type, f.Index)...)
			continue
		}
		for _, from := range []Source{InPath, InQuery, InBody} {
			name, how, _ := strings.Cut(f.Tag.Get(string(from)), ",")
			if name != "" && name != "-" {
				all = append(all, Field{f, from, name, f.Tag.Get("noun"), how == "explode"})
				break
			}
		}
	}
	return all
}

// Needed says whether a call always has the field.
func (f Field) Needed() bool {
	return f.From == InPath || f.From == InBody && !strings.Contains(f.Tag.Get("json"), "omit")
}

// Set reads a text into a field: a list takes one more value, or has none after an empty one; attributes take one more name=value; and a value that is not plain is read as JSON. Errors say
// what was expected.
func Set(to reflect.Value, text string) error {
	switch to.Addr().Interface().(type) {
	case *ids.ID:
		id, err := ids.Parse("", text)
		if err != nil {
			return fmt.Errorf("expected an id")
		}
		to.Set(reflect.ValueOf(id))
		return nil
	case *time.Time:
		at, err := wire.ReadMoment(text)
		if err != nil {
			return fmt.Errorf("expected a moment such as 2031-03-01T09:00:00Z")
		}
		to.Set(reflect.ValueOf(at))
		return nil
	case *json.RawMessage:
		if !json.Valid([]byte(text)) {
			return fmt.Errorf("expected JSON")
		}
		to.SetBytes([]byte(text))
		return nil
	}
	return setKind(to, text)
}

func setKind(to reflect.Value, text string) error {
	switch to.Kind() {
	case reflect.Pointer:
		if to.IsNil() {
			to.Set(reflect.New(to.Type().Elem()))
		}
		return Set(to.Elem(), text)
	case reflect.String:
		to.SetString(text)
	case reflect.Bool:
		is, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("expected true or false")
		}
		to.SetBool(is)
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, to.Type().Bits())
		if err != nil {
			return fmt.Errorf("expected a whole number")
		}
		to.SetInt(n)
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("expected a number")
		}
		to.SetFloat(n)
	case reflect.Slice:
		if text == "" {
			to.Set(reflect.MakeSlice(to.Type(), 0, 0))
			return nil
		}
		one := reflect.New(to.Type().Elem()).Elem()
		err := Set(one, text)
		if err != nil {
			return err
		}
		to.Set(reflect.Append(to, one))
	case reflect.Map:
		return setPair(to, text)
	default:
		return setJSON(to, text)
	}
	return nil
}

// setPair adds name=value to attributes, or reads all of them as JSON.
func setPair(to reflect.Value, text string) error {
	name, value, pair := strings.Cut(text, "=")
	if !pair || strings.HasPrefix(strings.TrimSpace(text), "{") {
		return setJSON(to, text)
	}
	if to.IsNil() {
		to.Set(reflect.MakeMap(to.Type()))
	}
	to.SetMapIndex(reflect.ValueOf(name), reflect.ValueOf(value))
	return nil
}

// setJSON reads a text as JSON. A type with a form of its own is a string there, and takes the text without quotes.
func setJSON(to reflect.Value, text string) error {
	raw := []byte(text)
	if _, own := to.Addr().Interface().(json.Unmarshaler); own && !json.Valid(raw) {
		raw, _ = json.Marshal(text) // a string always has a JSON form
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(to.Addr().Interface())
	if err != nil {
		return fmt.Errorf("expected JSON: %w", err)
	}
	return nil
}
