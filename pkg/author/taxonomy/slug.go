package taxonomy

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"assess/pkg/kernel/errs"
)

// MaxLength is the most characters that a slug or a label has.
const MaxLength = 200

// Slug makes the slug of a label: lower case, letters and digits of any script, dots and
// underscores kept, every other run of characters a hyphen. "Newton's 2nd law" is
// "newton-s-2nd-law". A slug is its own slug. It is empty when the label has no letter or
// digit.
func Slug(label string) string {
	words := strings.FieldsFunc(strings.ToLower(label), func(r rune) bool { return !slugRune(r) })
	slug := strings.Join(words, "-")
	if !strings.ContainsFunc(slug, letterOrDigit) {
		return ""
	}
	return slug
}

func letterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func slugRune(r rune) bool {
	return letterOrDigit(r) || unicode.IsMark(r) || r == '.' || r == '_'
}

// checkNames checks a slug and a label; an empty slug is made from the label.
func checkNames(slug, label string) (string, string, []errs.Field) {
	label = strings.TrimSpace(label)
	if slug == "" {
		slug = Slug(label)
	}
	var bad []errs.Field
	switch {
	case label == "":
		bad = append(bad, errs.Field{Path: "label", Code: "required", Message: "a label is required"})
	case !storable(label):
		bad = append(bad, errs.Field{Path: "label", Code: "invalid_text", Message: "at most 200 characters of valid UTF-8 without NUL"})
	}
	if label != "" && (slug == "" || slug != Slug(slug) || !storable(slug)) {
		bad = append(bad, errs.Field{Path: "slug", Code: "invalid_slug",
			Message: "a slug has lower-case letters, digits, dots, underscores and single hyphens"})
	}
	return slug, label, bad
}

// storable says whether the database can keep a text.
func storable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsRune(s, 0) && utf8.RuneCountInString(s) <= MaxLength
}
