package signer

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/access"
)

// Key is the public half of a key. A retired one signs nothing more and verifies for ever.
type Key struct {
	Link
	CreatedAt time.Time
	RetiredAt *time.Time
}

// PEM gives a public key as openssl reads it: SubjectPublicKeyInfo (RFC 8410) in PEM.
func PEM(key ed25519.PublicKey) string {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		panic("signer: an Ed25519 key has a DER form: " + err.Error())
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// PublicKey reads what PEM wrote; nil where it is something else.
func PublicKey(text string) ed25519.PublicKey {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil
	}
	public, _ := key.(ed25519.PublicKey) //nolint:errcheck // nil is said above
	return public
}

// ListKeys gives all keys that ever signed for the tenant, the newest first: few, since people
// rotate them. Everybody of the tenant may see them.
func ListKeys(ctx context.Context, tx *db.Tx) ([]Key, error) {
	rows, err := tx.Query(ctx, "select id, public_key, created_at, retired_at, signed_by, signature from trust_keys where tenant_id = $1 order by created_at desc, id desc",
		tx.Tenant())
	if err != nil {
		return nil, fmt.Errorf("list the keys that sign: %w", err)
	}
	keys, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Key, error) {
		var k Key
		var public []byte
		var before *ids.ID
		err := row.Scan(&k.ID, &public, &k.CreatedAt, &k.RetiredAt, &before, &k.Signature)
		k.PublicKey, k.CreatedAt, k.RetiredAt, k.SignedBy = public, k.CreatedAt.UTC(), db.UTC(k.RetiredAt), db.OrZero(before)
		return k, err
	})
	if err != nil {
		return nil, fmt.Errorf("list the keys that sign: %w", err)
	}
	return keys, nil
}

// Rotate retires the key in use and makes a new one, which the newest key that the secret opens has signed. With lost,
// where it opens none, the new key is signed by nobody: it counts only for people who are told to trust it.
// Capability: compliance.manage. Errors: forbidden; access.ErrNoKeySecret, ErrSealed.
func Rotate(ctx context.Context, tx *db.Tx, secret string, lost bool) (Key, error) {
	if err := tx.Require(capability.ComplianceManage); err != nil {
		return Key{}, err
	}
	if secret == "" {
		return Key{}, access.ErrNoKeySecret
	}
	_, err := tx.Exec(ctx, "update trust_keys set retired_at = $2 where tenant_id = $1 and retired_at is null", tx.Tenant(), tx.Now())
	if err != nil {
		return Key{}, fmt.Errorf("retire the key that signs: %w", err)
	}
	_, err = makeKey(ctx, tx, secret, lost)
	if err != nil {
		return Key{}, err
	}
	id, public, err := Current(ctx, tx, secret)
	if err != nil {
		return Key{}, err
	}
	return Key{Link: Link{ID: id, PublicKey: public}, CreatedAt: tx.Now()}, ledger.Append(ctx, tx, ledger.Event{
		Type: "trust_key.rotated", SubjectType: "trust_key", SubjectID: id})
}

// Check says whether the secret opens the key in use; a tenant that has signed nothing yet needs none.
// Errors: ErrSealed.
func Check(ctx context.Context, tx *db.Tx, secret string) error {
	_, err := openKey(ctx, tx, secret)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	return err
}
