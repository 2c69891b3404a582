package config

import (
	"log/slog"
	"net/url"

	"gopkg.in/yaml.v3"
)

const mask = "xxxxx"

// Redacted gives the settings for printing: secrets and passwords in URLs are masked.
func (c Config) Redacted() Config {
	for _, s := range settings(&c) {
		value := s.field.Interface()
		if s.secret != "" && value != "" {
			s.field.SetString(redacted(s.secret, value.(string)))
		}
	}
	return c
}

func redacted(secret, value string) string {
	if secret != "url" {
		return mask
	}
	u, err := url.Parse(value)
	if err != nil || u.Scheme == "" {
		return mask // it may have a password anywhere
	}
	query := u.Query()
	for _, name := range []string{"password", "sslpassword"} {
		if query.Has(name) {
			query.Set(name, mask)
			u.RawQuery = query.Encode()
		}
	}
	return u.Redacted()
}

// String gives the settings as YAML, redacted, so that no print can leak a secret.
func (c Config) String() string {
	out, err := yaml.Marshal(c.Redacted())
	if err != nil {
		return "config: " + err.Error()
	}
	return string(out)
}

// GoString keeps %#v from leaking what String masks.
func (c Config) GoString() string { return c.String() }

// LogValue keeps slog from leaking what String masks.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }
