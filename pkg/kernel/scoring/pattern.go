package scoring

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Pattern gives the response pattern of several options: the sorted option ids, joined by '+'.
func Pattern(optionIDs []string) string {
	return strings.Join(slices.Sorted(slices.Values(optionIDs)), "+")
}

// PatternHash gives the first 16 hex digits of the SHA-256 of the Pattern.
func PatternHash(optionIDs []string) string {
	return hashOf(Pattern(optionIDs))
}

// SequenceHash gives the hash of options whose sequence is the answer.
func SequenceHash(optionIDs []string) string { return hashOf(strings.Join(optionIDs, "+")) }

func hashOf(pattern string) string {
	sum := sha256.Sum256([]byte(pattern))
	return hex.EncodeToString(sum[:8])
}
