// Package golden compares what a test made with a file that is checked in. It is for
// tests only.
//
// A golden file is the readable record of an output that people or programs depend on:
// help texts, tables, JSON, the OpenAPI description. When the output changes on purpose,
// GOLDEN=1 writes the files again (make golden), and reviewers see the change in the diff.
package golden

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Check fails the test when got differs from the file, whose path starts at the folder
// of the package ("testdata/help.txt"). With GOLDEN=1 it writes the file instead.
func Check(t testing.TB, got []byte, file string) {
	t.Helper()
	if os.Getenv("GOLDEN") == "1" {
		write(t, got, file)
		return
	}
	want, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s does not exist; make golden writes it", file)
		return
	}
	if err != nil {
		t.Errorf("read the golden file: %v", err)
		return
	}
	if string(want) != string(got) {
		diff := cmp.Diff(strings.SplitAfter(string(want), "\n"), strings.SplitAfter(string(got), "\n"))
		t.Errorf("%s differs (-want +got); make golden writes it anew:\n%s", file, diff)
	}
}

// The marks around the part of a page that Part writes.
const (
	partBegin = "<!-- made by a test; make golden writes it anew -->\n"
	partEnd   = "<!-- end of what a test made -->\n"
)

// Part is Check for the one part of a page that a test makes: the text between two comments that say so.
func Part(t testing.TB, got, file string) {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Errorf("read the page: %v", err)
		return
	}
	before, rest, begins := strings.Cut(string(page), partBegin)
	_, after, ends := strings.Cut(rest, partEnd)
	if !begins || !ends {
		t.Errorf("%s has no place for a part: put %q and %q around it", file, partBegin, partEnd)
		return
	}
	Check(t, []byte(before+partBegin+"\n"+got+"\n"+partEnd+after), file)
}

func write(t testing.TB, got []byte, file string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err != nil {
		t.Errorf("make the golden folder: %v", err)
		return
	}
	err = os.WriteFile(file, got, 0o644)
	if err != nil {
		t.Errorf("write the golden file: %v", err)
	}
}
