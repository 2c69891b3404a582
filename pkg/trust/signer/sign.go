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
	"or, if it is lost, make a new key outside the chain (assessctl ledger keys rotate --lost)")

// Signature is the signature of a message by a key of the tenant.
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
	_, err = makeKey(ctx, tx, secret, false)
	if err != nil {
		return privateKey{}, err
	}
	// If several make the first key at once, one does; the others waited for it and use it too.
	return openKey(ctx, tx, secret)
}

func openKey(ctx context.Context, tx *db.Tx, secret string) (privateKey, error) {
	var k privateKey
	var sealed []byte
	err := tx.QueryRow(ctx, "select id, sealed_seed from trust_keys where tenant_id = $1 and retired_at is null", tx.Tenant()).Scan(&k.id, &sealed)
	if err != nil {
		return k, fmt.Errorf("find the key that signs: %w", err)
	}
	k.private, err = unsealed(tx.Tenant(), k.id, secret, sealed)
	return k, err
}

func unsealed(tenant, id ids.ID, secret string, sealed []byte) (ed25519.PrivateKey, error) {
	seed, err := access.Unseal(secret, sealedAs(tenant, id), sealed)
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, ErrSealed
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// newestKey gives the newest key that the secret opens, and the newest of all. A row that was put in past the service
// opens with no secret, so it signs nothing.
func newestKey(ctx context.Context, tx *db.Tx, secret string) (opened privateKey, newest ids.ID, err error) {
	rows, err := tx.Query(ctx, "select id, sealed_seed from trust_keys where tenant_id = $1 order by created_at desc, id desc", tx.Tenant())
	if err != nil {
		return opened, newest, fmt.Errorf("read the keys that signed: %w", err)
	}
	var id ids.ID
	var sealed []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &sealed}, func() error {
		if newest == ids.None {
			newest = id
		}
		if opened.id != ids.None {
			return nil
		}
		private, err := unsealed(tx.Tenant(), id, secret, sealed)
		if err == nil {
			opened = privateKey{id, private}
		}
		return nil
	})
	if err != nil {
		return opened, newest, fmt.Errorf("read the keys that signed: %w", err)
	}
	return opened, newest, nil
}

// makeKey makes a key, unless there is one in use: then it gives ids.None. The newest key that the secret opens signs it;
// where it opens none, only a key that may be outside the chain is made.
func makeKey(ctx context.Context, tx *db.Tx, secret string, lost bool) (ids.ID, error) {
	before, newest, err := newestKey(ctx, tx, secret)
	if err != nil {
		return ids.None, err
	}
	if newest != ids.None && before.id == ids.None && !lost {
		return ids.None, ErrSealed
	}
	id, seed := ids.New(), make([]byte, ed25519.SeedSize)
	rand.Read(seed) //nolint:errcheck // never fails since Go 1.24
	sealed, err := access.Seal(secret, sealedAs(tx.Tenant(), id), seed)
	if err != nil {
		return ids.None, err
	}
	public := ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
	signedBy, signature := newest, []byte(nil)
	if before.id != ids.None {
		signedBy, signature = before.id, ed25519.Sign(before.private, linked(before.id, id, public))
	}
	made, err := tx.Exec(ctx, `
		insert into trust_keys (tenant_id, id, public_key, sealed_seed, created_at, signed_by, signature) values ($1, $2, $3, $4, $5, $6, $7)
		on conflict do nothing`,
		tx.Tenant(), id, []byte(public), sealed, tx.Now(), ids.Ref(signedBy), signature)
	if err != nil {
		return ids.None, fmt.Errorf("store the key that signs: %w", err)
	}
	if made == 0 {
		return ids.None, nil
	}
	return id, nil
}

// sealedAs keeps a seed from being taken for the seed of another key, of another tenant, or of tokens.
func sealedAs(tenant, id ids.ID) string { return "trust/" + tenant.String() + "/" + id.String() }
