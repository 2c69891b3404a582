package policy

import (
	"fmt"
	"slices"
	"strings"

	"assess/pkg/kernel/content"
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

// LegacyRef names only the level, as snapshots did that froze no policy.
func LegacyRef(level string) string {
	return "verification_level/v1/level_" + strings.TrimPrefix(level, "L")
}
