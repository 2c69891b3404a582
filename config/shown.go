package config

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// Shown is a setting with its current value and its source.
type Shown struct {
	Key string `json:"key"`
	// Value is masked if it is a secret.
	Value string `json:"value"`
	// Source is where the value came from: "file etc/assess.yaml", "environment ASSESS_HTTP_BODY_LIMIT",
	// "flag --http-body-limit" or "default".
	Source string `json:"source"`
}

// Show gives all settings in the order of their sections. It takes what Load takes, and refuses what Load
// refuses.
func Show(file string, flags *pflag.FlagSet) ([]Shown, error) {
	l, c, err := load(file, flags)
	if err != nil {
		return nil, err
	}
	c = c.Redacted()
	var shown []Shown
	for _, s := range settings(&c) {
		shown = append(shown, Shown{s.key, s.text(), cmp.Or(l.source(s.key), "default")})
	}
	return shown, nil
}

// text writes a list as the environment takes it.
func (s setting) text() string {
	if list, is := s.field.Interface().([]string); is {
		return strings.Join(list, ",")
	}
	return fmt.Sprint(s.field.Interface())
}
