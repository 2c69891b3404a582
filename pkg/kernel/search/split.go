package search

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"assess/pkg/kernel/spelling"
)

// MaxWord is how many characters of a word count.
const MaxWord = 64

// unspaced are the scripts that set no spaces between words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar, unicode.Tibetan}

// longVowel lengthens the vowel of a kana; Unicode counts it to no script.
const longVowel = 'ー'

// run is a stretch of characters of one kind: a word, or characters of unspaced scripts.
type run struct {
	text     []rune
	unspaced bool
}

// split gives the runs of a text in order, folded.
func split(text string) []run {
	var runs []run
	var current run
	flush := func() {
		if len(current.text) > 0 {
			runs = append(runs, current)
		}
		current = run{}
	}
	for _, r := range fold(text) {
		apart := r == longVowel || unicode.In(r, unspaced...)
		switch {
		case !apart && !unicode.In(r, unicode.L, unicode.N, unicode.M):
			flush()
			continue
		case apart != current.unspaced:
			flush()
		}
		current.unspaced = apart
		current.text = append(current.text, r)
	}
	flush()
	return runs
}

func fold(text string) string {
	plain := norm.NFC.String(spelling.WithoutAccents(text))
	return norm.NFC.String(strings.ToLower(cases.Fold().String(plain))) // Folding exchanges the cases of Cherokee letters.
}

// word gives a word as it counts.
func (r run) word() string { return string(r.text[:min(len(r.text), MaxWord)]) }

// pairs gives each pair of neighbours, or the one character that there is.
func (r run) pairs() []string {
	if len(r.text) == 1 {
		return []string{string(r.text)}
	}
	var all []string
	for i := range len(r.text) - 1 {
		all = append(all, string(r.text[i:i+2]))
	}
	slices.Sort(all)
	return slices.Compact(all)
}
