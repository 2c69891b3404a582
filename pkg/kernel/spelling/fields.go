package spelling

import (
	"reflect"
	"strconv"
	"strings"
)

// Fields gives each text below a pointer to a struct the spelling of a name, except the fields that free
// names by their JSON, which keep what nobody sees. Texts in maps without a type are names, and so are
// their keys. It returns the paths of texts that are empty then, and of keys that have become the same.
// Raw JSON is left to its reader.
func Fields(input any, free func(field string) bool) (emptied, repeated []string) {
	w := walker{free: free}
	w.walk(reflect.ValueOf(input), "")
	return w.emptied, w.repeated
}

type walker struct {
	free              func(string) bool
	emptied, repeated []string
}

func (w *walker) walk(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			w.walk(v.Elem(), path)
		}
	case reflect.Interface:
		if !v.IsNil() && v.CanSet() {
			v.Set(w.renewed(v.Elem(), path))
		}
	case reflect.Struct:
		w.fields(v, path)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		for i := range v.Len() {
			w.walk(v.Index(i), path+"["+strconv.Itoa(i)+"]")
		}
	case reflect.Map:
		w.keys(v, path)
	case reflect.String:
		if v.CanSet() {
			v.SetString(w.name(v.String(), path))
		}
	}
}

func (w *walker) fields(v reflect.Value, path string) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, named := nameOf(field)
		switch {
		case !field.IsExported() && !field.Anonymous, named && w.free(name):
		case named:
			w.walk(v.Field(i), member(path, name))
		default:
			w.walk(v.Field(i), path) // embedded, or the body of a request
		}
	}
}

// nameOf gives the name by which callers know a field.
func nameOf(field reflect.StructField) (string, bool) {
	for _, key := range []string{"json", "query", "path"} {
		name, _, _ := strings.Cut(field.Tag.Get(key), ",")
		if name != "" && name != "-" {
			return name, true
		}
	}
	return "", false
}

// keys renews the keys of a map and what they lead to.
func (w *walker) keys(v reflect.Value, path string) {
	if v.Type().Key().Kind() != reflect.String {
		return
	}
	renewed := map[string]reflect.Value{}
	for _, key := range v.MapKeys() {
		name := w.name(key.String(), member(path, key.String()))
		if _, twice := renewed[name]; twice {
			w.repeated = append(w.repeated, member(path, name))
		}
		renewed[name] = w.renewed(v.MapIndex(key), member(path, name))
		v.SetMapIndex(key, reflect.Value{})
	}
	for name, value := range renewed {
		v.SetMapIndex(reflect.ValueOf(name).Convert(v.Type().Key()), value)
	}
}

// renewed is for values that cannot be set where they are.
func (w *walker) renewed(v reflect.Value, path string) reflect.Value {
	own := reflect.New(v.Type()).Elem()
	own.Set(v)
	w.walk(own, path)
	return own
}

func (w *walker) name(s, path string) string {
	name := Name(s)
	if strings.TrimSpace(name) == "" && strings.TrimSpace(s) != "" {
		w.emptied = append(w.emptied, path)
	}
	return name
}

func member(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
