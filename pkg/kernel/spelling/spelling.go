package spelling

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Compose gives a text in NFC. Bytes that are no UTF-8 stay, so that the code that refuses them sees them.
func Compose(s string) string {
	if isASCII(s) {
		return s
	}
	return norm.NFC.String(s)
}

// Name gives a name in NFC and without characters that nobody sees: zero width, byte order mark, soft
// hyphen, bidirectional marks. A joiner stays where the script needs it: between letters of Arabic or of
// an Indic script, and in emoji.
func Name(s string) string {
	if isASCII(s) || !strings.ContainsFunc(s, invisible) {
		return Compose(s)
	}
	runes := []rune(s)
	var kept strings.Builder
	for i, r := range runes {
		if invisible(r) && !(isJoiner(r) && joins(runes[:i]) && joins(runes[i+1:i+1+min(1, len(runes)-i-1)])) {
			continue
		}
		kept.WriteRune(r)
	}
	return Compose(kept.String())
}

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

func isJoiner(r rune) bool { return r == nonJoiner || r == joiner }

// plainScripts are the scripts whose letters no joiner changes.
var plainScripts = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hiragana,
	unicode.Katakana, unicode.Hangul, unicode.Hebrew, unicode.Armenian, unicode.Georgian, unicode.Thai, unicode.Lao}

// joins says whether the last of the characters may be next to a joiner.
func joins(runes []rune) bool {
	if len(runes) == 0 {
		return false
	}
	r := runes[len(runes)-1]
	return r >= utf8.RuneSelf && unicode.In(r, unicode.L, unicode.M, unicode.So, unicode.Sk) && !unicode.In(r, plainScripts...)
}

// invisible says that a character has no shape of its own: a format character, or a filler. Selectors of
// variants are not among them, since they change the character before them; nor are the marks that are
// written above numbers.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
