package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// The headers of a call (Standard Webhooks 1.0).
const (
	HeaderID        = "webhook-id"
	HeaderTimestamp = "webhook-timestamp"
	HeaderSignature = "webhook-signature"
)

const (
	secretPrefix = "whsec_"
	secretBytes  = 32
	// Tolerance is how old or early a call may be.
	Tolerance = 5 * time.Minute
)

// newSecret gives the bytes of a secret.
func newSecret() []byte {
	secret := make([]byte, secretBytes)
	rand.Read(secret) //nolint:errcheck // never fails since Go 1.24
	return secret
}

// written is a secret as receivers get it.
func written(secret []byte) string { return secretPrefix + base64.StdEncoding.EncodeToString(secret) }

// Secret reads a secret as receivers get it.
func Secret(text string) ([]byte, error) {
	secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(strings.TrimSpace(text), secretPrefix))
	if err != nil || len(secret) == 0 {
		return nil, errors.New("a secret begins with " + secretPrefix + " and goes on in base64")
	}
	return secret, nil
}

// sign gives the value of the header that signs a body: a signature for each secret.
func sign(id string, at time.Time, body []byte, secrets ...[]byte) string {
	var all []string
	for _, secret := range secrets {
		all = append(all, "v1,"+base64.StdEncoding.EncodeToString(signature(id, strconv.FormatInt(at.Unix(), 10), body, secret)))
	}
	return strings.Join(all, " ")
}

func signature(id, at string, body, secret []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "%s.%s.", id, at)
	mac.Write(body)
	return mac.Sum(nil)
}

// Verify says whether a call was signed with a secret, not long ago. It is what a receiver does.
func Verify(header http.Header, body, secret []byte, now time.Time) error {
	id, at := header.Get(HeaderID), header.Get(HeaderTimestamp)
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || id == "" {
		return errors.New("a header of the signature is missing")
	}
	if off := now.Sub(time.Unix(seconds, 0)); off > Tolerance || off < -Tolerance {
		return errors.New("the call is too old, or from the future")
	}
	want := signature(id, at, body, secret)
	for one := range strings.FieldsSeq(header.Get(HeaderSignature)) {
		version, text, _ := strings.Cut(one, ",")
		got, err := base64.StdEncoding.DecodeString(text)
		if version == "v1" && err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return errors.New("no signature is that of the secret")
}
