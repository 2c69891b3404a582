package assess_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tics make prose read like a translation. Each name says what to write instead.
var tics = []struct {
	name string
	form *regexp.Regexp
}{
	{"stands: is, is written, belongs", regexp.MustCompile(`(?i)\bstands?\b`)},
	{"those of: name the thing again", regexp.MustCompile(`(?i)\bthose\s+(of|that|who|whose|for|in|on|with)\b`)},
	{"alone: only", regexp.MustCompile(`(?i)\balone\b`)},
	{"whoever: anyone who, the person who, you", regexp.MustCompile(`(?i)\bwhoever\b`)},
	{"asks for: needs, requires, requests", regexp.MustCompile(`(?i)\bask(s|ed)?\s+for\b`)},
	{"beside: besides, next to, compared with", regexp.MustCompile(`(?i)\bbeside\b`)},
	{"but for: except", regexp.MustCompile(`(?i)\bbut\s+for\b`)},
	{"held against: compared with", regexp.MustCompile(`(?i)\bheld\s+against\b`)},
	{"of which: a sentence of its own", regexp.MustCompile(`(?i)\bof\s+which\b`)},
	{"whom: who, or name the person", regexp.MustCompile(`(?i)\bwhom\b`)},
	{"what is … is: name the thing", regexp.MustCompile(`(?i)\bwhat\s+is\s[^.;:,|]+\sis\b`)},
	{"at hand: there, ready", regexp.MustCompile(`(?i)\bat\s+hand\b`)},
}

// A tic may come twice in 10,000 words: some of these words also have an ordinary use.
const ticsAllowed = 2

// unspoken are pages that a test writes from the code.
var unspoken = []string{"docs/data-map.md", "docs/errors.md", "docs/roles.md", "docs/routes.md"}

func TestDocumentsSpeakPlainEnglish(t *testing.T) {
	t.Parallel()
	words := 0
	hits := make([][]string, len(tics))
	count := func(file, text string) {
		prose := proseOf(text)
		words += len(strings.Fields(prose))
		for i, tic := range tics {
			for _, at := range tic.form.FindAllStringIndex(prose, -1) {
				line := 1 + strings.Count(prose[:at[0]], "\n")
				hits[i] = append(hits[i], fmt.Sprintf("%s:%d: %s", file, line, strings.Join(strings.Fields(prose[at[0]:at[1]]), " ")))
			}
		}
	}
	for _, p := range pages(t) {
		if !slices.Contains(unspoken, p.file) {
			count(p.file, p.text)
		}
	}
	for _, file := range []string{"CONTRIBUTING.md", "SECURITY.md"} {
		count(file, read(t, file))
	}
	for i, tic := range tics {
		t.Logf("%d of %q in %d words", len(hits[i]), tic.name, words)
		if len(hits[i])*10_000 > ticsAllowed*words {
			t.Errorf("%q comes %d times in %d words, at most %d in 10,000 may:\n%s",
				tic.name, len(hits[i]), words, ticsAllowed, strings.Join(hits[i], "\n"))
		}
	}
}

// proseOf empties the lines of code, headings (links lead to them) and parts that a test makes, and the
// spans of code. Every line keeps its number.
func proseOf(text string) string {
	var prose strings.Builder
	fenced, made := false, false
	for line := range strings.SplitSeq(text, "\n") {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		if fence {
			fenced = !fenced
		}
		if strings.HasPrefix(line, "<!-- ") {
			made = !strings.HasPrefix(line, "<!-- end")
		}
		if !fence && !fenced && !made && !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "#") {
			prose.WriteString(line)
		}
		prose.WriteByte('\n')
	}
	return span.ReplaceAllStringFunc(prose.String(), func(code string) string {
		return "x" + strings.Repeat("\n", strings.Count(code, "\n"))
	})
}
