package assess_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assess/pkg/dev/golden"
	"assess/pkg/kernel/scoring"
	"assess/pkg/kernel/wire"
)

var (
	ofEnum = regexp.MustCompile(`enum:"([^"]+)"`)
	isCode = regexp.MustCompile(`^([a-z0-9]+(_[a-z0-9]+)+|[A-Z0-9_]+)$`)
)

// codes lists the codes of the enums of the interface: what is not a plain word.
func codes(t *testing.T) []string {
	t.Helper()
	text, _ := sources(t)
	all := slices.Clone(scoring.InvalidCodes)
	for _, m := range ofEnum.FindAllStringSubmatch(text, -1) {
		for _, one := range strings.Split(m[1], ",") {
			if isCode.MatchString(one) {
				all = append(all, one)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// A new code of an enum needs words for people.
func TestEachCodeHasWords(t *testing.T) {
	t.Parallel()
	all := codes(t)
	if len(all) < 100 {
		t.Errorf("%d codes are too few", len(all))
	}
	for _, code := range all {
		if !wire.HasWords(code) {
			t.Errorf("%s has no words (pkg/kernel/wire/words.go)", code)
		}
	}
}

// docs/pages.md has the words that do not follow from their code.
func TestDocumentedWordsAreTheOnesShown(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	table.WriteString("| code | words |\n|---|---|\n")
	for _, code := range codes(t) {
		if words := wire.Words(code); !strings.EqualFold(words, strings.ReplaceAll(code, "_", " ")) {
			fmt.Fprintf(&table, "| `%s` | %s |\n", code, words)
		}
	}
	golden.Part(t, table.String(), "docs/pages.md")
}
