package assess_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// page is a document: its text, and the code in it, a span or a line each.
type page struct {
	file, text string
	code       []string
}

func pages(t *testing.T) []page {
	t.Helper()
	var all []page
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/adr/*.md", "examples/*/README.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		for _, file := range files {
			text := read(t, file)
			all = append(all, page{file, text, codeOf(text)})
		}
	}
	return all
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var span = regexp.MustCompile("`([^`]+)`")

// codeOf gives fenced and indented lines, and the spans of all others, which may run over
// the end of a line.
func codeOf(text string) []string {
	var code []string
	var prose strings.Builder
	fenced := false
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			fenced = !fenced
		case fenced, strings.HasPrefix(line, "    "):
			code = append(code, strings.TrimSpace(line))
		default:
			prose.WriteString(line + "\n")
		}
	}
	for _, m := range span.FindAllStringSubmatch(prose.String(), -1) {
		code = append(code, strings.ReplaceAll(m[1], "\n", " "))
	}
	return code
}

// sources joins our own Go files and scripts but this one, with the names of all files.
func sources(t *testing.T) (string, []string) {
	t.Helper()
	var text strings.Builder
	var names []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == "docs_test.go" {
			return err
		}
		if d.IsDir() && path != "." && (d.Name()[0] == '.' || d.Name() == "bin" || d.Name() == "var") {
			return fs.SkipDir
		}
		names = append(names, d.Name())
		if strings.HasSuffix(path, ".go") || filepath.Dir(path) == "scripts" {
			text.WriteString(read(t, path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return text.String(), names
}
