package access

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"assess/config"
)

// ErrNoKeySecret says that signing keys can neither be made nor opened, and what to do.
var ErrNoKeySecret = errors.New("auth.key_secret is not set: give a secret of at least 32 characters, the same to every " +
	"assessd and assessctl of the database, in ASSESS_AUTH_KEY_SECRET (openssl rand -base64 32 makes one)")

// secretFile lies next to the private database, and anyone who can read the file can read the database too.
const secretFile = "key_secret"

// WithKeySecret gives the settings with a secret: a private database has one of its own, made
// on first use, unless the settings name another.
func WithKeySecret(c config.Config) (config.Auth, error) {
	if c.Auth.KeySecret != "" || !c.Database.Embedded {
		return c.Auth, nil
	}
	secret, err := secretIn(c.Database.EmbeddedDir)
	c.Auth.KeySecret = secret
	return c.Auth, err
}

func secretIn(dir string) (string, error) {
	path := filepath.Join(dir, secretFile)
	found, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = makeSecret(dir, path)
		if err == nil {
			found, err = os.ReadFile(path)
		}
	}
	if err != nil {
		return "", fmt.Errorf("the secret of the private database: %w", err)
	}
	return string(found), nil
}

// makeSecret links a complete file to its place: of several programs at once, one does.
func makeSecret(dir, path string) error {
	file, err := os.CreateTemp(dir, secretFile+".*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) //nolint:errcheck // a file too many does no harm
	random := make([]byte, 32)
	rand.Read(random) //nolint:errcheck // never fails since Go 1.24
	_, err = file.WriteString(base64.StdEncoding.EncodeToString(random))
	err = errors.Join(err, file.Sync(), file.Close())
	if err != nil {
		return err
	}
	err = os.Link(file.Name(), path)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// Seal hides the seed of a key from anyone who can read the table: AES-256-GCM under a key that is
// derived from the secret, with the name of the row (as) as associated data, so that none can take
// another's place. The nonce comes first. Errors: ErrNoKeySecret.
func Seal(secret, as string, seed []byte) ([]byte, error) {
	box, err := sealing(secret)
	if err != nil {
		return nil, err
	}
	return box.Seal(nil, nil, seed, []byte(as)), nil
}

// Unseal opens what Seal made with the same secret and name.
func Unseal(secret, as string, sealed []byte) ([]byte, error) {
	box, err := sealing(secret)
	if err != nil {
		return nil, err
	}
	return box.Open(nil, nil, sealed, []byte(as))
}

func sealing(secret string) (cipher.AEAD, error) {
	if secret == "" {
		return nil, ErrNoKeySecret
	}
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "assess signing keys", 32)
	if err != nil {
		return nil, fmt.Errorf("derive the key of signing keys: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("seal signing keys: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}
