package people

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"assess/pkg/capability"
	"assess/pkg/errs"
)

const (
	maxNameChars        = 200
	maxDescriptionChars = 2000
	maxMetadataBytes    = 32 << 10
)

var slugForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

func checkNamed(slug, name string) error {
	var bad []errs.Field
	if !slugForm.MatchString(slug) {
		bad = append(bad, errs.Field{Path: "slug", Code: "invalid_slug",
			Message: "1 to 63 lower-case letters, digits and hyphens, the first no hyphen"})
	}
	return errs.Invalid(append(bad, requireName("name", name)...)...)
}

func requireName(path, name string) []errs.Field {
	if strings.TrimSpace(name) == "" {
		return []errs.Field{{Path: path, Code: "required", Message: "it must not be empty"}}
	}
	return checkText(path, name, maxNameChars)
}

// checkText refuses control characters: a line feed in a name would forge a mail header.
func checkText(path, s string, most int) []errs.Field {
	switch {
	case !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl):
		return []errs.Field{{Path: path, Code: "invalid_characters", Message: "control characters are not allowed"}}
	case utf8.RuneCountInString(s) > most:
		return []errs.Field{{Path: path, Code: "too_long", Message: fmt.Sprintf("at most %d characters", most)}}
	}
	return nil
}

// checkProse lets lines break.
func checkProse(path, s string) []errs.Field {
	return checkText(path, strings.ReplaceAll(s, "\n", " "), maxDescriptionChars)
}

// checkMetadata never names a key or a value: they may be personal.
func checkMetadata(path string, metadata map[string]any) []errs.Field {
	text, err := json.Marshal(metadata)
	switch {
	case err != nil:
		return []errs.Field{{Path: path, Code: "invalid_metadata", Message: "it is not representable as JSON"}}
	case len(text) > maxMetadataBytes:
		return []errs.Field{{Path: path, Code: "too_long", Message: fmt.Sprintf("at most %d bytes as JSON", maxMetadataBytes)}}
	case strings.Contains(string(text), `\u0000`):
		return []errs.Field{{Path: path, Code: "invalid_characters", Message: "NUL is not allowed"}}
	}
	return nil
}

// checkCapabilities refuses unknown capabilities and billing.manage, which belongs to the
// system role Billing Admin alone, so that no role mixes billing with anything else.
func checkCapabilities(path string, wanted []capability.Capability) []errs.Field {
	var bad []errs.Field
	for i, c := range wanted {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case !capability.Known(c):
			bad = append(bad, errs.Field{Path: at, Code: "unknown_capability", Message: "there is no such capability"})
		case c == capability.BillingManage:
			bad = append(bad, errs.Field{Path: at, Code: "capability_reserved",
				Message: "only the system role Billing Admin holds billing.manage"})
		}
	}
	return bad
}
