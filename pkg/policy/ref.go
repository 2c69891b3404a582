package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assess/pkg/content"
)

// Ref names what a policy asks: verification_policy/v1/level_N/<digest>, the digest being
// the SHA-256 of the canonical form of level, context, step-up and required fields
// (specification, section 9).
func (r Rules) Ref(level string) (string, error) {
	n := strings.TrimPrefix(level, "L")
	fields := slices.Sorted(slices.Values(r.RequiredContextFields))
	if fields == nil {
		fields = []string{}
	}
	canonical, err := content.Canonical(map[string]any{"level": "level_" + n, "requireContext": r.RequireContext,
		"requireStepUp": r.RequireStepUp, "requiredContextFields": fields})
	if err != nil {
		return "", fmt.Errorf("name verification policy: %w", err)
	}
	return "verification_policy/v1/level_" + n + "/" + content.Hash(canonical), nil
}

// LegacyRef names the level alone, as snapshots did that froze no policy.
func LegacyRef(level string) string {
	return "verification_level/v1/level_" + strings.TrimPrefix(level, "L")
}

var ref = regexp.MustCompile(`^(?:verification_policy/v1/level_([1-4])/([0-9a-f]{64})|verification_level/v1/level_([1-4]))$`)

// ParseRef gives the level of a ref and its digest, which a legacy ref has none of; false
// for what is no ref.
func ParseRef(text string) (level, digest string, ok bool) {
	m := ref.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	return "L" + m[1] + m[3], m[2], true
}
