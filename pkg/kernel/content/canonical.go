package content

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"assess/pkg/kernel/wire"
)

// The schemes to store with every hash (specification, section 2.8).
const (
	CanonicalScheme = "rfc8785"
	HashScheme      = "sha-256"
)

// Canonical gives the canonical JSON of a value (RFC 8785): two values that mean the same
// JSON have the same bytes. Times have the form that answers give them, so that anyone
// outside who reads a value can hash it. Numbers are IEEE 754 doubles there: integers beyond
// 2^53 must travel as strings. The error says that the value has no JSON form.
func Canonical(v any) ([]byte, error) {
	plain, err := wire.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("canonical form: %w", err)
	}
	canonical := jsontext.Value(plain)
	if err := canonical.Canonicalize(); err != nil {
		return nil, fmt.Errorf("canonical form: %w", err)
	}
	return canonical, nil
}

// Hash gives the SHA-256 of canonical bytes in lower-case hex, 64 characters.
func Hash(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}
