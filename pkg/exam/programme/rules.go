package programme

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"assess/pkg/kernel/errs"
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
