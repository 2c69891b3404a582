package translog

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/note"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/signer"
)

// Key is a public key that checkpoints, receipts and manifests are checked with.
type Key struct {
	ID ids.ID `json:"id"`
	// VerifierKey is the form in which tools for signed notes take it.
	VerifierKey string     `json:"verifierKey,omitempty" doc:"For signed notes: name, key hash and key; absent before the log begins"`
	PublicKey   string     `json:"publicKey" doc:"For openssl: PEM"`
	CreatedAt   time.Time  `json:"createdAt"`
	RetiredAt   *time.Time `json:"retiredAt" doc:"From then on it signed nothing; what it signed before stays valid"`
}

// Keys are all keys that ever signed for a tenant.
type Keys struct {
	Keys []Key `json:"keys" nullable:"false" doc:"The newest first"`
}

// ListKeys gives the public keys of the tenant. Everybody of the tenant may see them.
func ListKeys(ctx context.Context, tx *db.Tx) (Keys, error) {
	var origin string
	err := tx.QueryRow(ctx, "select origin from ledger_logs where tenant_id = $1", tx.Tenant()).Scan(&origin)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Keys{}, fmt.Errorf("read the name of the log: %w", err)
	}
	all, err := signer.ListKeys(ctx, tx)
	keys := Keys{Keys: []Key{}}
	for _, k := range all {
		keys.Keys = append(keys.Keys, keyOf(k, origin))
	}
	return keys, err
}

// OwnKeys gives the keys of the tenant as VerifyFile takes them: none before the first checkpoint.
func OwnKeys(ctx context.Context, tx *db.Tx) ([]string, error) {
	keys, err := ListKeys(ctx, tx)
	return verifierKeys(keys.Keys), err
}

// RotateKey retires the key in use and makes a new one. Capability: compliance.manage.
func RotateKey(ctx context.Context, tx *db.Tx, secret string) (Keys, error) {
	_, err := signer.Rotate(ctx, tx, secret)
	if err != nil {
		return Keys{}, err
	}
	return ListKeys(ctx, tx)
}

func keyOf(k signer.Key, origin string) Key {
	key := Key{ID: k.ID, PublicKey: signer.PEM(k.PublicKey), CreatedAt: k.CreatedAt, RetiredAt: k.RetiredAt}
	if origin != "" {
		key.VerifierKey, _ = note.NewEd25519VerifierKey(origin, k.PublicKey) // it has the right size
	}
	return key
}

func verifierOf(origin string, public ed25519.PublicKey) (note.Verifier, error) {
	text, err := note.NewEd25519VerifierKey(origin, public)
	if err != nil {
		return nil, fmt.Errorf("name the key of the log: %w", err)
	}
	v, err := note.NewVerifier(text)
	if err != nil {
		return nil, fmt.Errorf("name the key of the log: %w", err)
	}
	return v, nil
}
