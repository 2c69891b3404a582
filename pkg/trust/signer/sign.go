package signer

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
)

// ErrSealed says that the secret of the settings does not open the key in use.
var ErrSealed = errors.New("auth.key_secret does not open the key that signs for this tenant: give the secret that it was sealed with, " +
	"or make a new key (assessctl ledger keys rotate)")

// Signature is what a key of the tenant says of a message.
type Signature struct {
	KeyID     ids.ID
	PublicKey ed25519.PublicKey
	// Bytes are the 64 bytes of the signature (RFC 8032).
	Bytes []byte
}

// Sign signs a message with the key of the tenant that is in use, and makes one where there is none.
// secret is auth.key_secret. Errors: access.ErrNoKeySecret, ErrSealed.
func Sign(ctx context.Context, tx *db.Tx, secret string, message []byte) (Signature, error) {
	k, err := inUse(ctx, tx, secret)
	if err != nil {
		return Signature{}, err
	}
	return Signature{KeyID: k.id, PublicKey: k.private.Public().(ed25519.PublicKey), Bytes: ed25519.Sign(k.private, message)}, nil
}

// Current gives the id and the public half of the key that Sign would use, and makes one as Sign does.
func Current(ctx context.Context, tx *db.Tx, secret string) (ids.ID, ed25519.PublicKey, error) {
	k, err := inUse(ctx, tx, secret)
	if err != nil {
		return ids.None, nil, err
	}
	return k.id, k.private.Public().(ed25519.PublicKey), nil
}

type privateKey struct {
	id      ids.ID
	private ed25519.PrivateKey
}

func inUse(ctx context.Context, tx *db.Tx, secret string) (privateKey, error) {
	if secret == "" {
		return privateKey{}, access.ErrNoKeySecret
	}
	k, err := openKey(ctx, tx, secret)
	if !errors.Is(err, pgx.ErrNoRows) {
		return k, err
	}
	_, err = makeKey(ctx, tx, secret)
	if err != nil {
		return privateKey{}, err
	}
	// Of several that make the first key at once, one does; the others waited for it and use it too.
	return openKey(ctx, tx, secret)
}

func openKey(ctx context.Context, tx *db.Tx, secret string) (privateKey, error) {
	var k privateKey
	var sealed []byte
	err := tx.QueryRow(ctx, "select id, sealed_seed from trust_keys where tenant_id = $1 and retired_at is null", tx.Tenant()).Scan(&k.id, &sealed)
	if err != nil {
		return k, fmt.Errorf("find the key that signs: %w", err)
	}
	seed, err := access.Unseal(secret, sealedAs(tx.Tenant(), k.id), sealed)
	if err != nil || len(seed) != ed25519.SeedSize {
		return k, ErrSealed
	}
	k.private = ed25519.NewKeyFromSeed(seed)
	return k, nil
}

// makeKey makes a key, unless there is one in use: then it gives ids.None.
func makeKey(ctx context.Context, tx *db.Tx, secret string) (ids.ID, error) {
	id, seed := ids.New(), make([]byte, ed25519.SeedSize)
	rand.Read(seed) //nolint:errcheck // never fails since Go 1.24
	sealed, err := access.Seal(secret, sealedAs(tx.Tenant(), id), seed)
	if err != nil {
		return ids.None, err
	}
	made, err := tx.Exec(ctx, `
		insert into trust_keys (tenant_id, id, public_key, sealed_seed, created_at) values ($1, $2, $3, $4, $5)
		on conflict (tenant_id) where retired_at is null do nothing`,
		tx.Tenant(), id, []byte(ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)), sealed, tx.Now())
	if err != nil {
		return ids.None, fmt.Errorf("store the key that signs: %w", err)
	}
	if made == 0 {
		return ids.None, nil
	}
	return id, nil
}

// sealedAs keeps a seed from being taken for that of another key, of another tenant, or of tokens.
func sealedAs(tenant, id ids.ID) string { return "trust/" + tenant.String() + "/" + id.String() }
