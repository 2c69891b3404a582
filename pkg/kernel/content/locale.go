package content

import (
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// maxTagLength bounds a language tag; RFC 5646, section 4.4.1, requires no more.
const maxTagLength = 35

// NormaliseLocale gives the canonical spelling of a BCP-47 tag ("EN-us" is "en-US");
// false for a tag that is malformed or unknown.
func NormaliseLocale(tag string) (string, bool) {
	if tag == "" || len(tag) > maxTagLength || !wellFormed(tag) {
		return "", false
	}
	parsed, err := language.Parse(tag)
	if err != nil {
		return "", false
	}
	return parsed.String(), true
}

// wellFormed refuses what the parser takes and RFC 5646 does not: underscores (section 2.1), and a variant or
// singleton that comes twice (section 2.2.9).
func wellFormed(tag string) bool {
	if strings.Contains(tag, "_") {
		return false
	}
	seen, extended := map[string]bool{}, false
	for i, subtag := range strings.Split(strings.ToLower(tag), "-") {
		single := len(subtag) == 1
		if single && subtag == "x" {
			return true // private use: anything may follow
		}
		variant := i > 0 && !extended && (len(subtag) > 4 || len(subtag) == 4 && subtag[0] <= '9')
		if (single || variant) && seen[subtag] {
			return false
		}
		seen[subtag], extended = true, extended || single
	}
	return true
}

// Resolve picks the payload for a language in the fallback order of the specification,
// section 4.6: exact, parents ("fr-CA" gives "fr"), default, first in the alphabet. A
// tag that cannot be read counts as none. The locale is empty only when the document
// has no locales.
func (d Document) Resolve(lang string) (string, Payload) {
	tag, _ := NormaliseLocale(lang)
	for ; tag != ""; tag = parentLocale(tag) {
		p, ok := d.Locales[tag]
		if ok {
			return tag, p
		}
	}
	p, ok := d.Locales[d.DefaultLocale]
	if ok {
		return d.DefaultLocale, p
	}
	tags := d.localeTags()
	if len(tags) == 0 {
		return "", Payload{}
	}
	return tags[0], d.Locales[tags[0]]
}

// parentLocale cuts the last subtag (RFC 4647, section 3.4); empty if the tag is only a language.
func parentLocale(tag string) string {
	cut := strings.LastIndexByte(tag, '-')
	if cut < 0 {
		return ""
	}
	return tag[:cut]
}

// Merge gives the document with the locales of other added; where both have a locale,
// other's payload counts, since it is the newer one. The default locale stays.
func (d Document) Merge(other Document) Document {
	merged := Document{DefaultLocale: d.DefaultLocale, Locales: map[string]Payload{}}
	if merged.DefaultLocale == "" {
		merged.DefaultLocale = other.DefaultLocale
	}
	maps.Copy(merged.Locales, d.Locales)
	maps.Copy(merged.Locales, other.Locales)
	return merged
}

// localeTags lists the locales in the order of the alphabet.
func (d Document) localeTags() []string { return slices.Sorted(maps.Keys(d.Locales)) }
