package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Places are the places of the settings file if none is named; the first one that exists is read.
func Places() []string {
	places := []string{"/etc/assess/config.yaml"}
	if home, err := os.UserConfigDir(); err == nil {
		places = append([]string{filepath.Join(home, "assess", "config.yaml")}, places...)
	}
	return places
}

// place gives the file that is read: the one that is named, by the call or by ASSESS_CONFIG, or the first of
// Places; empty if there is none. A file that exists and cannot be read is an error later, and not skipped.
func place(named string) string {
	if named == "" {
		named = os.Getenv(envPrefix + "_CONFIG")
	}
	if named != "" {
		return named
	}
	for _, one := range Places() {
		if _, err := os.Stat(one); !errors.Is(err, fs.ErrNotExist) {
			return one
		}
	}
	return ""
}
