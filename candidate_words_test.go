package assess_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// spokenSentence matches the sentences in examples/candidate, and translation those in a language file.
	spokenSentence = regexp.MustCompile(`\bt\("((?:[^"\\]|\\.)*)"`)
	translation    = regexp.MustCompile(`(?m)^  ("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*"),$`)
	// englishOnly finds words that go to people past t.
	englishOnly = regexp.MustCompile("(?:(?:textContent|ariaLabel|title)(?:: | = )|\\b(?:button|show|tell|warn|saved|clock|doubt|askWho)\\()[\"`][A-Za-z][^\"`]*[\"`]")
	valueName   = regexp.MustCompile(`\{\w+\}`)
)

// The candidate's page says each sentence in every language that it speaks, with the same values in it.
func TestTheCandidatesPageIsTranslated(t *testing.T) {
	t.Parallel()
	sentences := map[string]bool{}
	scripts, err := filepath.Glob("examples/candidate/*.js")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range scripts {
		text := read(t, file)
		for _, m := range spokenSentence.FindAllStringSubmatch(text, -1) {
			sentences[m[1]] = true
		}
		for _, m := range englishOnly.FindAllString(text, -1) {
			t.Errorf("%s: %s is said in English alone: t(…) says it in all languages", file, m)
		}
	}
	languages, err := filepath.Glob("examples/candidate/languages/*.js")
	if err != nil || len(languages) < 4 {
		t.Fatalf("%d languages: %v", len(languages), err)
	}
	for _, file := range languages {
		translated := map[string]bool{}
		for _, m := range translation.FindAllStringSubmatch(read(t, file), -1) {
			english, words := strings.Trim(m[1], `"`), strings.Trim(m[2], `"`)
			translated[english] = true
			want, got := valueName.FindAllString(english, -1), valueName.FindAllString(words, -1)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(want, got) || words == "" {
				t.Errorf("%s: %q is %q", file, english, words)
			}
			if !sentences[english] {
				t.Errorf("%s: nobody says %q", file, english)
			}
		}
		for english := range sentences {
			if !translated[english] {
				t.Errorf("%s lacks %q", file, english)
			}
		}
	}
}
