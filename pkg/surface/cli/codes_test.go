package cli

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"assess/pkg/kernel/wire"
)

// aCode is what looks like a code in a table.
var aCode = regexp.MustCompile(`[A-Za-z]+(?:_[A-Za-z]+)+|\b[A-Z]{3,}\b`)

// A table for people shows no code that has words; JSON, YAML and CSV have it. What a command says about itself, as the words of a
// flag, is no table.
func TestTablesSpeakInWords(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "calls", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	tables := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range strings.Split(string(text), "$ assessctl ")[1:] {
			line, said, _ := strings.Cut(call, "\n")
			if strings.HasPrefix(line, "export ") || strings.Contains(line, "-o ") || strings.Contains(line, "--output") || strings.Contains(said, "\nError: ") || strings.HasPrefix(said, "Error: ") {
				continue
			}
			tables++
			for _, code := range aCode.FindAllString(said, -1) {
				if wire.HasWords(code) {
					t.Errorf("%s: assessctl %s says the code %s", file, line, code)
				}
			}
		}
	}
	if tables < 100 {
		t.Errorf("%d calls are too few", tables)
	}
}

func TestAColumnSaysCodesInWords(t *testing.T) {
	t.Parallel()
	type state string
	type row struct {
		Status     string   `enum:"not_met,met"`
		Kinds      []string `enum:"screen_recording,photo"`
		State      state
		Code       string `shape:"error code"`
		ReasonCode *string
		Name       string
		Absent     *string `enum:"not_met"`
	}
	reason := "legal_claims"
	one := row{"not_met", []string{"screen_recording", "photo"}, "EXEMPT", "version_conflict", &reason, "not_met", nil}
	var got []string
	for _, c := range columns[row]("Status, Kinds, State, Code, ReasonCode, Name, Absent") {
		got = append(got, c.Cell(one))
	}
	want := []string{"not met", "screen recording, photo", "exempted", "version conflict", "legal claims", "not_met", none}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
