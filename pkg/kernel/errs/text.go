package errs

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line checks a text of one line, of up to most characters; needed says that there must be one.
// It takes no control characters: a line feed in a name would forge a mail header. The problem
// never repeats the text, which may be personal.
func Line(path, text string, most int, needed bool) []Field {
	unfit := Field{Path: path, Code: "invalid_characters", Message: "control characters are not allowed"}
	return checkText(path, text, most, needed, unicode.IsControl, unfit)
}

// Prose checks a text of any number of lines in the same manner. It refuses what the database
// cannot keep.
func Prose(path, text string, most int, needed bool) []Field {
	unfit := Field{Path: path, Code: "invalid_text", Message: "the text has NUL characters or is not valid UTF-8"}
	return checkText(path, text, most, needed, func(r rune) bool { return r == 0 }, unfit)
}

// OneOf checks a word that may be left out.
func OneOf(path, word string, words []string) []Field {
	if word == "" || slices.Contains(words, word) {
		return nil
	}
	return []Field{{Path: path, Code: "not_allowed", Message: "expected one of " + strings.Join(words, ", ")}}
}

func checkText(path, text string, most int, needed bool, isUnfit func(rune) bool, unfit Field) []Field {
	switch {
	case needed && strings.TrimSpace(text) == "":
		return []Field{{Path: path, Code: "required", Message: "it must not be empty"}}
	case !utf8.ValidString(text) || strings.ContainsFunc(text, isUnfit):
		return []Field{unfit}
	case utf8.RuneCountInString(text) > most:
		return []Field{{Path: path, Code: "too_long", Message: fmt.Sprintf("at most %d characters", most)}}
	}
	return nil
}
