package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Places are where the settings file lies when nobody names one; the first that is there is read.
func Places() []string {
	places := []string{"/etc/assess/config.yaml"}
	if home, err := os.UserConfigDir(); err == nil {
		places = append([]string{filepath.Join(home, "assess", "config.yaml")}, places...)
	}
	return places
}

// place gives the file that is read: the one that is named, by the call or by ASSESS_CONFIG, or the first
// of Places; empty where there is none. One that is there and cannot be read is an error later, and not
// passed over.
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
