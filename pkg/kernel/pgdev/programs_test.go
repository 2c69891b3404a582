package pgdev

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindPrograms(t *testing.T) {
	versions := t.TempDir()
	for _, major := range []int{9, 15, 16} {
		install(t, filepath.Join(versions, fmt.Sprint(major), "bin"), major)
	}
	// As on machines where PATH has only a link to initdb.
	linked := t.TempDir()
	if err := os.Symlink(filepath.Join(versions, "15", "bin", "initdb"), filepath.Join(linked, "initdb")); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	tests := []struct {
		name, path string
		major      int
		want       string
	}{
		{"newest", empty, 0, "16"},
		{"the cluster's version", empty, 15, "15"},
		{"PATH before newest", linked, 0, "15"},
		{"the cluster's version before PATH", linked, 16, "16"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			// The fake programs are shell scripts.
			t.Setenv("PATH", test.path+":/usr/bin:/bin")
			got, err := findPrograms(filepath.Join(versions, "*", "bin"), test.major)
			if err != nil {
				t.Fatal(err)
			}
			if want := filepath.Join(versions, test.want, "bin"); got.folder != want {
				t.Errorf("got %s, want %s", got.folder, want)
			}
		})
	}
}

func TestFindProgramsNamesTheRemedy(t *testing.T) {
	versions := t.TempDir()
	install(t, filepath.Join(versions, "14", "bin"), 14)
	t.Setenv("PATH", t.TempDir())
	for _, major := range []int{0, 14, 17} {
		_, err := findPrograms(filepath.Join(versions, "*", "bin"), major)
		if !errors.Is(err, ErrNoPrograms) || !strings.Contains(err.Error(), "make setup") {
			t.Errorf("version %d: got %v, want ErrNoPrograms with the remedy", major, err)
		}
	}
}

// install puts fake programs into a folder that answer --version as PostgreSQL does.
func install(t *testing.T, folder string, major int) {
	t.Helper()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"initdb", "postgres"} {
		script := fmt.Sprintf("#!/bin/sh\necho '%s (PostgreSQL) %d.2 (Debian %d.2-1)'\n", name, major, major)
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
