package residue

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"assess/pkg/kernel/errs"
	"assess/pkg/people/people"
)

// Kind is what an identifier is.
type Kind string

// The kinds (decisions, section 10).
const (
	Name       Kind = "name"
	NamePart   Kind = "name_part"
	Email      Kind = "email"
	EmailKey   Kind = "email_key"
	Metadata   Kind = "metadata"
	ExternalID Kind = "external_id"
)

// Kinds are all of them.
var Kinds = []Kind{Name, NamePart, Email, EmailKey, Metadata, ExternalID}

// The limits of the texts to search for. A shorter text occurs everywhere.
const (
	minPart        = 4
	minMetadata    = 8
	minBytes       = 4
	maxLength      = 400
	MaxIdentifiers = 200
)

// Identifier is a text that names the person.
type Identifier struct {
	Kind  Kind
	Value string
}

// word says that the identifier is a word that people also use when they mean something else: a part
// of a name ("Will", "Test"), a name of one word, or metadata without a digit ("Human Resources").
func (i Identifier) word() bool {
	switch i.Kind {
	case NamePart:
		return true
	case Name:
		return !strings.ContainsFunc(strings.TrimSpace(i.Value), unicode.IsSpace)
	case Metadata:
		return !strings.ContainsFunc(i.Value, func(r rune) bool { return unicode.IsDigit(r) || r == '@' })
	default:
		return false
	}
}

// Of gives the identifiers of a person from their record: none if the person was forgotten.
func Of(u people.User) []Identifier {
	if strings.HasSuffix(u.Email, people.ErasedDomain) {
		return nil
	}
	all := []Identifier{{Name, u.Name}, {Email, u.Email}}
	if key, ok := people.EmailKey(u.Email); ok {
		all = append(all, Identifier{EmailKey, key})
	}
	return Complete(append(all, ofMetadata(u.Metadata)...))
}

// ofMetadata keeps to the order of the keys: how far a search is says identifiers by their numbers.
func ofMetadata(value any) []Identifier {
	var all []Identifier
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			all = append(all, ofMetadata(v[key])...)
		}
	case []any:
		for _, inner := range v {
			all = append(all, ofMetadata(inner)...)
		}
	case string, float64, int, int64:
		if text := fmt.Sprint(v); utf8.RuneCountInString(text) >= minMetadata {
			all = append(all, Identifier{Metadata, text})
		}
	}
	return all
}

// Complete adds to names their parts of four letters and more, and leaves out texts that occur twice
// or are too short to search for.
func Complete(all []Identifier) []Identifier {
	for _, i := range slices.Clone(all) {
		if i.Kind == Name {
			all = append(all, parts(i.Value)...)
		}
	}
	seen := map[string]bool{}
	var out []Identifier
	for _, i := range all {
		i.Value = strings.TrimSpace(i.Value)
		key := foldText(norm.NFC.String(i.Value))
		if len(i.Value) >= minBytes && !seen[key] {
			seen[key] = true
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b Identifier) int { return slices.Index(Kinds, a.Kind) - slices.Index(Kinds, b.Kind) })
	return out
}

func parts(name string) []Identifier {
	var all []Identifier
	words := strings.FieldsFunc(norm.NFC.String(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	for _, word := range words {
		if utf8.RuneCountInString(word) >= minPart {
			all = append(all, Identifier{NamePart, word})
		}
	}
	return all
}

// Parse reads identifiers as a file lists them: a line each, "kind: value"; a line without a kind is
// an e-mail address where it has an @, else a name. Empty lines do not count. Errors:
// validation_failed with the number of the line, never with its text.
func Parse(lines []string) ([]Identifier, error) {
	var all []Identifier
	for n, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		i := Identifier{Name, line}
		kind, value, found := strings.Cut(line, ":")
		switch {
		case found && slices.Contains(Kinds, Kind(strings.TrimSpace(kind))):
			i = Identifier{Kind(strings.TrimSpace(kind)), strings.TrimSpace(value)}
		case strings.Contains(line, "@"):
			i.Kind = Email
		}
		if len(i.Value) < minBytes || len(i.Value) > maxLength || !utf8.ValidString(i.Value) {
			return nil, errs.Invalid(errs.Field{Path: fmt.Sprintf("identifiers[%d]", n), Code: "length",
				Message: fmt.Sprintf("an identifier has %d to %d bytes of text", minBytes, maxLength)})
		}
		all = append(all, i)
		if i.Kind == Email {
			if key, ok := people.EmailKey(i.Value); ok {
				all = append(all, Identifier{EmailKey, key})
			}
		}
	}
	all = Complete(all)
	if len(all) == 0 || len(all) > MaxIdentifiers {
		return nil, errs.Invalid(errs.Field{Path: "identifiers", Code: "count",
			Message: fmt.Sprintf("give 1 to %d identifiers, with the parts of names", MaxIdentifiers)})
	}
	return all, nil
}
