package intake_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/ids"
)

// filler makes inputs in which every field has a value, and each value is different from the
// rest, so that every value that comes back tells its field. It makes JSON, as a client does.
type filler struct {
	t *testing.T
	// rules has the values of fields that do not take any, by path; a path without indexes
	// speaks of all elements of a list.
	rules map[string]any
	// yes is the answer of fields that say yes or no.
	yes bool
	n   int
	// filled are the paths of fields that have a value, left the paths of fields that have none.
	filled, left map[string]bool
}

// A rule is a value, or one of these.
type (
	// none leaves a field out.
	none struct{}
	// length is how many elements a list has; two where no rule says it.
	length int
)

var indexes = regexp.MustCompile(`\[\d+\]`)

func anyElement(path string) string { return indexes.ReplaceAllString(path, "[]") }

func newFiller(t *testing.T) *filler {
	return &filler{t: t, filled: map[string]bool{}, left: map[string]bool{}}
}

// all fills a type under the rules of one example. Values go on from one example to the next.
func (f *filler) all(input any, yes bool, rules map[string]any) map[string]any {
	f.yes, f.rules = yes, rules
	made, _ := f.value("", reflect.TypeOf(input)).(map[string]any)
	return made
}

// complete fails for fields that no example has filled.
func (f *filler) complete() {
	for path := range f.left {
		if !f.filled[path] {
			f.t.Errorf("no example fills %s", path)
		}
	}
}

func (f *filler) value(path string, t reflect.Type) any {
	rule, ruled := f.rules[path]
	if !ruled {
		rule, ruled = f.rules[anyElement(path)]
	}
	if _, leave := rule.(none); leave {
		f.left[anyElement(path)] = true
		return rule
	}
	f.filled[anyElement(path)] = true
	elements, isLength := rule.(length)
	if ruled && !isLength {
		return rule
	}
	f.n++
	switch {
	case t.Kind() == reflect.Pointer:
		return f.value(path, t.Elem())
	case t == reflect.TypeFor[json.RawMessage]():
		return plainJSON(sample.Content(fmt.Sprintf("Text %d", f.n), fmt.Sprintf("Wort %d", f.n)))
	case t == reflect.TypeFor[ids.ID]():
		return ids.New().String()
	case t == reflect.TypeFor[time.Time]():
		return time.Date(2030, 1, 1, 0, 0, f.n, 0, time.UTC).Format(time.RFC3339)
	}
	switch t.Kind() {
	case reflect.Struct:
		return f.fields(path, t)
	case reflect.Slice:
		list := []any{}
		if !isLength {
			elements = 2
		}
		for i := range int(elements) {
			list = append(list, f.value(fmt.Sprintf("%s[%d]", path, i), t.Elem()))
		}
		return list
	case reflect.String:
		return fmt.Sprintf("word %d", f.n)
	case reflect.Int:
		return float64(f.n)
	case reflect.Float64:
		return float64(f.n) + 0.5
	case reflect.Bool:
		return f.yes
	}
	f.t.Fatalf("the filler has no value for %s, a %s", path, t)
	return nil
}

func (f *filler) fields(path string, t reflect.Type) map[string]any {
	made := map[string]any{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case !field.IsExported() || name == "-":
			f.t.Errorf("%s of %s does not travel as JSON: what an author sends has no hidden parts", field.Name, t)
		case field.Anonymous && name == "":
			maps.Copy(made, f.fields(path, field.Type))
		default:
			value := f.value(strings.TrimPrefix(path+"."+name, "."), field.Type)
			if _, leave := value.(none); !leave {
				made[name] = value
			}
		}
	}
	return made
}

// leaves lists the parts of a value, by path. Content documents and lists of words count as
// one part.
func leaves(path string, value any, into map[string]any) map[string]any {
	switch v := value.(type) {
	case map[string]any:
		if _, document := v["defaultLocale"]; document {
			break
		}
		for name, part := range v {
			leaves(strings.TrimPrefix(path+"."+name, "."), part, into)
		}
		return into
	case []any:
		if len(v) == 0 || reflect.TypeOf(v[0]).Kind() != reflect.Map {
			break
		}
		for i, part := range v {
			leaves(fmt.Sprintf("%s[%d]", path, i), part, into)
		}
		return into
	}
	into[path] = value
	return into
}

// holds fails for each field of sent that a station lacks or changed. missing names the fields that
// the station does not have, each with the reason.
func holds(t *testing.T, station string, sent map[string]any, got any, missing map[string]string) {
	t.Helper()
	wanted, found := leaves("", sent, map[string]any{}), leaves("", plain(got), map[string]any{})
	for _, path := range slices.Sorted(maps.Keys(wanted)) {
		if _, known := missing[anyElement(path)]; known {
			continue
		}
		_, there := found[path]
		if !there && wanted[path] == false {
			continue // left out of the JSON
		}
		if diff := cmp.Diff(wanted[path], found[path]); diff != "" {
			t.Errorf("%s is lost at %s (-sent +got):\n%s", path, station, diff)
		}
	}
}

// plain gives a value as its JSON says it.
func plain(value any) any {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return plainJSON(raw)
}

func plainJSON(raw []byte) any {
	var v any
	err := json.Unmarshal(raw, &v)
	if err != nil {
		panic(err)
	}
	return v
}

// as reads JSON into a type that must have a place for everything in it.
func as[T any](t *testing.T, station string, sent map[string]any) T {
	t.Helper()
	raw, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	err = d.Decode(&out)
	if err != nil {
		t.Errorf("%s has no place for a field: %v", station, err)
	}
	return out
}

// joined lays the members of several objects into one.
func joined(objects ...any) map[string]any {
	all := map[string]any{}
	for _, o := range objects {
		members, _ := plain(o).(map[string]any)
		maps.Copy(all, members)
	}
	return all
}
