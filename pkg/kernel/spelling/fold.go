package spelling

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// shapes lists, behind each sign, what keyboards and word processors write in its place.
var shapes = map[string]string{
	"'":   "‘’‚‛′ʹʻʼ`´",
	`"`:   "“”„‟″«»",
	"-":   "‐‑‒–—―−﹘﹣",
	"...": "…",
}

var variants = func() *strings.Replacer {
	var pairs []string
	for sign, others := range shapes {
		for _, other := range others {
			pairs = append(pairs, string(other), sign)
		}
	}
	return strings.NewReplacer(pairs...)
}()

// Fold gives the form that two texts have in common if people would call them the same answer: white space,
// case, the shapes of quotes and dashes, full and half width, and characters that nobody sees do not count.
// In Turkish and Azeri a dotted and a dotless i are two letters; elsewhere they are one. locale is a BCP-47
// tag, or empty. Snapshots are scored by this rule under the name v2: it must not change.
func Fold(s, locale string) string {
	// Folding can undo the normal form and needs it to find its letters: so it is made on both sides.
	s = norm.NFC.String(width.Fold.String(norm.NFC.String(s)))
	s = strings.Map(func(r rune) rune {
		if invisible(r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, s)
	s = norm.NFC.String(strings.Join(strings.Fields(s), " "))
	dotted := twoLetters(locale)
	if dotted {
		s = turkish.Replace(s)
	}
	s = norm.NFC.String(strings.ToLower(cases.Fold().String(s))) // Folding exchanges the cases of Cherokee letters.
	if !dotted {
		s = oneI.Replace(s)
	}
	return norm.NFC.String(variants.Replace(s))
}

var (
	turkish = strings.NewReplacer("I", "ı", "İ", "i")
	// oneI takes the dot away that folding leaves above an i.
	oneI = strings.NewReplacer("ı", "i", "i\u0307", "i")
)

// twoLetters says whether i and ı are two letters.
func twoLetters(locale string) bool {
	base, _ := language.Make(locale).Base()
	return base.String() == "tr" || base.String() == "az"
}

// accented are the scripts whose marks are accents: in the others marks are vowels.
var accented = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic}

// IsAccented says whether marks on a character are accents.
func IsAccented(r rune) bool { return unicode.In(r, accented...) }

// Bare is Fold without accents and compatibility forms: for searching what people may have written
// in a hurry.
func Bare(s string) string { return Fold(WithoutAccents(Fold(s, "")), "") }

// WithoutAccents takes the marks of accented scripts away, and compatibility forms (NFKD) too.
func WithoutAccents(s string) string {
	var plain strings.Builder
	var base rune
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(s, " ")) {
		if !unicode.Is(unicode.Mn, r) {
			base = r
		} else if IsAccented(base) {
			continue
		}
		plain.WriteRune(r)
	}
	return plain.String()
}
