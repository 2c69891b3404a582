package config

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// setting is one key and the field that holds its value.
type setting struct {
	key    string
	secret string // "", "url" or "all"
	field  reflect.Value
}

// settings lists all settings of a configuration in the order of its fields. Writing
// to their fields writes to c.
func settings(c *Config) []setting {
	return under("", reflect.ValueOf(c).Elem())
}

func under(prefix string, section reflect.Value) []setting {
	var out []setting
	for i := range section.NumField() {
		tag := section.Type().Field(i).Tag
		key := prefix + tag.Get("yaml")
		if section.Field(i).Kind() == reflect.Struct {
			out = append(out, under(key+".", section.Field(i))...)
			continue
		}
		out = append(out, setting{key: key, secret: tag.Get("secret"), field: section.Field(i)})
	}
	return out
}

// Keys lists the keys of all settings.
func Keys() []string {
	c := Default()
	var keys []string
	for _, s := range settings(&c) {
		keys = append(keys, s.key)
	}
	return keys
}

// set reads a value as YAML, the environment or a flag gave it.
func (s setting) set(raw any) error {
	if raw == nil {
		return fmt.Errorf("has no value")
	}
	if s.field.Kind() == reflect.Slice {
		return s.setList(raw)
	}
	switch reflect.ValueOf(raw).Kind() {
	case reflect.Slice, reflect.Map:
		return fmt.Errorf("expected a single value")
	}
	text := fmt.Sprint(raw)
	value, err := s.parse(text)
	if err != nil && s.secret != "" {
		return fmt.Errorf("cannot be read")
	}
	if err != nil {
		return err
	}
	s.field.Set(reflect.ValueOf(value))
	return nil
}

// parse reads a text; the error is a sentence for people.
func (s setting) parse(text string) (any, error) {
	switch s.field.Interface().(type) {
	case bool:
		v, err := strconv.ParseBool(text)
		return v, unless(err == nil, "%q is neither true nor false", text)
	case int:
		v, err := strconv.Atoi(text)
		return v, unless(err == nil, "%q is not a whole number", text)
	case float64:
		v, err := strconv.ParseFloat(text, 64)
		return v, unless(err == nil, "%q is not a number", text)
	case time.Duration:
		v, err := time.ParseDuration(text)
		return v, unless(err == nil, "%q is not a duration such as 200ms, 30s or 24h", text)
	case Bytes:
		return ParseBytes(text)
	default:
		return text, nil
	}
}

func unless(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func (s setting) setList(raw any) error {
	var list []string
	switch raw := raw.(type) {
	case []string:
		list = raw
	case []any:
		for _, item := range raw {
			list = append(list, fmt.Sprint(item))
		}
	case string:
		list = strings.Split(raw, ",")
	default:
		return fmt.Errorf("expected a list")
	}
	out := []string{}
	for _, item := range list {
		if item = strings.TrimSpace(item); item != "" {
			out = append(out, item)
		}
	}
	s.field.Set(reflect.ValueOf(out))
	return nil
}
