package programme

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"assess/pkg/errs"
)

// The longest texts, in characters, and the largest metadata, in bytes as JSON.
const (
	maxExternalID    = 200
	maxName          = 200
	maxKind          = 100
	maxMetadataBytes = 32 << 10
)

// Choices of the status fields, as their tags list them.
const (
	engagementStates  = "open,closed"
	requirementStates = "active,retired"
)

// text is a field to be checked.
type text struct {
	path, value string
	most        int
	required    bool
}

// checkTexts never repeats a value: it may be personal.
func checkTexts(all ...text) []errs.Field {
	var bad []errs.Field
	for _, t := range all {
		switch {
		case t.required && strings.TrimSpace(t.value) == "":
			bad = append(bad, errs.Field{Path: t.path, Code: "required", Message: "it must not be empty"})
		case !utf8.ValidString(t.value) || strings.ContainsFunc(t.value, unicode.IsControl):
			bad = append(bad, errs.Field{Path: t.path, Code: "invalid_characters", Message: "control characters are not allowed"})
		case utf8.RuneCountInString(t.value) > t.most:
			bad = append(bad, errs.Field{Path: t.path, Code: "too_long", Message: fmt.Sprintf("at most %d characters", t.most)})
		}
	}
	return bad
}

// checkMetadata names neither keys nor values, for the same reason.
func checkMetadata(metadata map[string]any) []errs.Field {
	encoded, err := json.Marshal(metadata)
	switch {
	case err != nil:
		return []errs.Field{{Path: "metadata", Code: "invalid_metadata", Message: "it is not representable as JSON"}}
	case len(encoded) > maxMetadataBytes:
		return []errs.Field{{Path: "metadata", Code: "too_long", Message: fmt.Sprintf("at most %d bytes as JSON", maxMetadataBytes)}}
	case strings.Contains(string(encoded), `\u0000`):
		return []errs.Field{{Path: "metadata", Code: "invalid_characters", Message: "NUL is not allowed"}}
	}
	return nil
}

// checkChoice takes the choices as one text with commas.
func checkChoice(path, value, choices string) []errs.Field {
	for choice := range strings.SplitSeq(choices, ",") {
		if value == choice {
			return nil
		}
	}
	return []errs.Field{{Path: path, Code: "invalid_choice", Message: "expected one of " + choices}}
}

func checkPeriod(from, to *time.Time) []errs.Field {
	if from == nil || to == nil || to.After(*from) {
		return nil
	}
	return []errs.Field{{Path: "endsAt", Code: "out_of_range", Message: "it must be later than startsAt"}}
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

func trimmed(s string) string { return strings.TrimSpace(s) }

func optional(s string) *string {
	s = trimmed(s)
	if s == "" {
		return nil
	}
	return &s
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
