package content

import (
	"strings"
	"unicode/utf8"

	"assess/pkg/kernel/errs"
)

// Validate checks a document that was made in Go against the same rules as Parse, and
// that its locales are spelt in their normal form. Paths start at path.
func (d Document) Validate(path string) []errs.Field {
	v := validator{}
	v.document(path, d)
	v.normalSpelling(member(path, "defaultLocale"), d.DefaultLocale)
	for _, key := range d.localeTags() {
		v.normalSpelling(member(member(path, "locales"), key), key)
	}
	return v.fields
}

// validator walks a document and reports every broken rule.
type validator struct {
	problems
	// locale is the path of the payload that is being walked, nodes what it has so far.
	locale string
	nodes  int
	// bytes counts its text.
	bytes int
}

func (v *validator) document(path string, d Document) {
	locales := member(path, "locales")
	if len(d.Locales) == 0 {
		v.add(locales, CodeRequired, "at least one locale is required")
	}
	seen := map[string]bool{}
	for _, key := range d.localeTags() {
		tag, ok := NormaliseLocale(key)
		if !ok {
			v.add(member(locales, key), CodeInvalidLocale, "the key is not a BCP-47 language tag")
		}
		if ok && seen[tag] {
			v.add(member(locales, key), CodeDuplicateLocale, "another key means the same locale")
		}
		seen[tag] = true
		v.payload(member(locales, key), d.Locales[key])
	}
	v.defaultLocale(member(path, "defaultLocale"), d.DefaultLocale, seen)
}

func (v *validator) defaultLocale(path, locale string, locales map[string]bool) {
	tag, ok := NormaliseLocale(locale)
	switch {
	case locale == "":
		v.add(path, CodeRequired, "the default locale is required")
	case !ok:
		v.add(path, CodeInvalidLocale, "not a BCP-47 language tag")
	case !locales[tag]:
		v.add(path, CodeMissingDefault, "locales has no payload for the default locale")
	}
}

func (v *validator) normalSpelling(path, locale string) {
	tag, ok := NormaliseLocale(locale)
	if ok && tag != locale {
		v.add(path, CodeInvalidLocale, "the normal form of the tag is "+tag)
	}
}

func (v *validator) payload(path string, p Payload) {
	if p.SchemaVersion != SchemaVersion {
		v.add(member(path, "schemaVersion"), CodeUnknownSchema, "expected "+SchemaVersion)
	}
	if p.Type != PayloadType {
		v.add(member(path, "type"), CodeUnknownSchema, "expected "+PayloadType)
	}
	blocks := member(path, "blocks")
	if p.Blocks == nil {
		v.add(blocks, CodeRequired, "blocks are required; they may be empty")
	}
	v.locale, v.nodes, v.bytes = path, 0, 0
	for i, b := range p.Blocks {
		v.block(element(blocks, i), b)
	}
	v.size(path, p)
}

// nodeBytes is more than the canonical form of a node without its text has, all marks
// included; escapedBytes is the most that a byte of text becomes.
const (
	nodeBytes    = 512
	escapedBytes = 6
)

// size measures the canonical form, which is stored and hashed, unless it is sure to be small.
func (v *validator) size(path string, p Payload) {
	if nodeBytes*(v.nodes+1)+escapedBytes*v.bytes <= MaxLocaleBytes {
		return
	}
	canonical, err := Canonical(p)
	if err != nil || len(canonical) > MaxLocaleBytes {
		v.add(path, CodeTooLarge, "a locale has at most 256 KiB")
	}
}

// enter counts a node; false when the limits forbid to walk into it.
func (v *validator) enter(path string, depth int) bool {
	v.nodes++
	if v.nodes == MaxNodes+1 {
		v.add(v.locale, CodeTooManyNodes, "a locale has at most 5000 nodes")
	}
	if depth > MaxDepth {
		v.add(path, CodeTooDeep, "content is nested at most 16 levels deep")
	}
	return v.nodes <= MaxNodes && depth <= MaxDepth
}

// plain checks a string for characters that cannot be stored.
func (v *validator) plain(path, s string) {
	v.bytes += len(s)
	if !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
		v.add(path, CodeInvalidText, "the text has NUL characters or is not valid UTF-8")
	}
}

// needed checks a string that must say something.
func (v *validator) needed(path, s, message string) {
	v.plain(path, s)
	if strings.TrimSpace(s) == "" {
		v.add(path, CodeRequired, message)
	}
}
