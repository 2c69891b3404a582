package people

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
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
	return errs.Invalid(append(bad, errs.Line("name", name, maxNameChars, true)...)...)
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

// checkCapabilities refuses unknown capabilities and billing.manage, which belongs only
// to the system role Billing Admin, so that no role mixes billing with anything else.
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
