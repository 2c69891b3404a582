package assignment

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"assess/models"
	"assess/pkg/kernel/errs"
)

// The longest texts, in characters.
const (
	maxRunLabel = 200
	maxReason   = 500
)

func checkWindow(from, until *time.Time) []errs.Field {
	if from == nil || until == nil || until.After(*from) {
		return nil
	}
	return []errs.Field{{Path: "validUntil", Code: "out_of_range", Message: "it must be later than validFrom"}}
}

// within says whether a moment lies in a window; nil is an open end. The end itself is
// outside.
func within(from, until *time.Time, now time.Time) bool {
	return (from == nil || !now.Before(*from)) && (until == nil || now.Before(*until))
}

func isPerson(targetType string) bool {
	return targetType == models.TargetUser || targetType == models.TargetEmail
}

// newToken gives a token and its hash.
func newToken() (string, []byte) {
	var random [32]byte
	rand.Read(random[:]) //nolint:errcheck // never fails since Go 1.24
	token := base64.RawURLEncoding.EncodeToString(random[:])
	return token, hashOf(token)
}

func hashOf(token string) []byte {
	hash := sha256.Sum256([]byte(token))
	return hash[:]
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func optional(s string) *string {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil
	}
	return &s
}
