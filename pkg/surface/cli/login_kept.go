package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assess/pkg/people/access"
)

// keptSession is a sign-in to a service. It lies in a file of its own, and not in the settings: those are copied and shown around.
type keptSession struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expiresAt"`
	Tenant    string    `json:"tenant"`
	OrgUnit   string    `json:"orgUnit"`
	// RenewAt is when the token is traded for a fresh one.
	RenewAt time.Time `json:"renewAt"`
	// Proof is a step-up proof, which one call can spend.
	Proof *access.Proof `json:"proof,omitempty"`
}

// taken puts a token in its place. Half of its life is left for the next call to renew it.
func (k *keptSession) taken(t access.Token) {
	k.Token, k.ExpiresAt = t.Token, t.ExpiresAt
	k.RenewAt = time.Now().Add(time.Until(t.ExpiresAt) / 2)
}

// sessionsFile holds the sign-ins of the person who runs this, by the addresses of services.
func sessionsFile() (string, error) {
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", Usage("there is no folder for sign-ins: %w", err)
	}
	return filepath.Join(folder, "assess", "sign-ins.json"), nil
}

func readSessions() (map[string]keptSession, string, error) {
	path, err := sessionsFile()
	if err != nil {
		return nil, "", err
	}
	all := map[string]keptSession{}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, path, nil
	}
	if err == nil && json.Unmarshal(text, &all) != nil {
		err = fmt.Errorf("%s cannot be read: delete it, and sign in again", path)
	}
	return all, path, err
}

// serverKey is the address of the service as its sign-in is kept.
func (s *Shell) serverKey() string { return strings.TrimRight(strings.ToLower(s.Server), "/") }

// readSession gives the sign-in to the service; the zero one where there is none.
func (s *Shell) readSession() (keptSession, error) {
	all, _, err := readSessions()
	return all[s.serverKey()], err
}

// keepSession keeps a sign-in to the service, or forgets it. A file that nobody else can read takes the place of the old one as a whole.
func (s *Shell) keepSession(kept *keptSession) error {
	all, path, err := readSessions()
	if err != nil {
		return err
	}
	delete(all, s.serverKey())
	if kept != nil {
		all[s.serverKey()] = *kept
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err != nil {
		return fmt.Errorf("keep the sign-in: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".sign-ins.*") // mode 0600
	if err != nil {
		return fmt.Errorf("keep the sign-in: %w", err)
	}
	defer os.Remove(file.Name()) //nolint:errcheck // it is gone where all went well
	_, err = file.Write(append(text, '\n'))
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("keep the sign-in: %w", err)
	}
	return nil
}
