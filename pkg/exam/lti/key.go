package lti

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/access"
)

const (
	keyBits = 2048
	// ahead is how long a new key is published before it signs, and KeyStays how long it is published after another signs:
	// platforms keep what they have read for a while.
	ahead    = time.Hour
	KeyStays = 24 * time.Hour
)

// Keys are the public keys that platforms check the tool with.
type Keys struct {
	Keys []json.RawMessage `json:"keys"`
}

// Key is a key of the tenant as a tool.
type Key struct {
	ID        ids.ID    `json:"id" doc:"The kid that platforms know it by"`
	CreatedAt time.Time `json:"createdAt"`
	SignsFrom time.Time `json:"signsFrom" doc:"From then on it signs; platforms read it from createdAt on"`
}

// RotateKey makes a new key, which signs in an hour; the one before is published for another day. It needs integrations.manage.
func RotateKey(ctx context.Context, tx *db.Tx) (Key, error) {
	err := tx.Require(capability.IntegrationsManage)
	if err != nil {
		return Key{}, err
	}
	_, err = signer(ctx, tx)
	if err != nil {
		return Key{}, err
	}
	k, err := makeKey(ctx, tx, tx.Now().Add(ahead))
	if err != nil {
		return Key{}, err
	}
	_, err = tx.Exec(ctx, `
		delete from lti_keys k where tenant_id = $1 and exists (
			select from lti_keys n where n.tenant_id = $1 and n.signs_from > k.signs_from and n.signs_from < $2)`, tx.Tenant(), tx.Now().Add(-KeyStays))
	if err != nil {
		return Key{}, fmt.Errorf("delete old keys: %w", err)
	}
	return k, ledger.Append(ctx, tx, ledger.Event{Type: "lti_key.rotated", SubjectType: "lti_key", SubjectID: k.ID, Payload: map[string]any{"signsFrom": k.SignsFrom}})
}

func makeKey(ctx context.Context, tx *db.Tx, from time.Time) (Key, error) {
	k := Key{ID: ids.New(), CreatedAt: tx.Now().UTC(), SignsFrom: from.UTC()}
	private, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return k, fmt.Errorf("make a key: %w", err)
	}
	public, err := json.Marshal(jose.JSONWebKey{Key: private.Public(), KeyID: k.ID.String(), Algorithm: string(jose.RS256), Use: "sig"})
	if err != nil {
		return k, fmt.Errorf("make a key: %w", err)
	}
	sealed, err := access.Seal(tx.KeySecret(), sealedAs(tx.Tenant(), k.ID), x509.MarshalPKCS1PrivateKey(private))
	if err != nil {
		return k, err
	}
	_, err = tx.Exec(ctx, "insert into lti_keys (tenant_id, id, sealed_key, public_key, created_at, signs_from) values ($1, $2, $3, $4, $5, $6)",
		tx.Tenant(), k.ID, sealed, public, k.CreatedAt, k.SignsFrom)
	if err != nil {
		return k, fmt.Errorf("store a key: %w", err)
	}
	return k, nil
}

func sealedAs(tenant, id ids.ID) string { return "lti/" + tenant.String() + "/" + id.String() }

// signing is a key that signs.
type signing struct {
	id      ids.ID
	private *rsa.PrivateKey
}

// signer gives the key of now. The first is made when it is needed.
func signer(ctx context.Context, tx *db.Tx) (signing, error) {
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended('lti key ' || $1::text, 0))", tx.Tenant().String())
	if err != nil {
		return signing{}, fmt.Errorf("wait for another key: %w", err)
	}
	s, found, err := readSigner(ctx, tx)
	if err != nil || found {
		return s, err
	}
	_, err = makeKey(ctx, tx, tx.Now())
	if err == nil {
		s, _, err = readSigner(ctx, tx)
	}
	return s, err
}

func readSigner(ctx context.Context, tx *db.Tx) (s signing, found bool, err error) {
	var sealed []byte
	err = tx.QueryRow(ctx, "select id, sealed_key from lti_keys where tenant_id = $1 and signs_from <= $2 order by signs_from desc, id desc limit 1", tx.Tenant(), tx.Now()).Scan(&s.id, &sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return s, false, nil
	}
	var plain []byte
	if err == nil {
		plain, err = access.Unseal(tx.KeySecret(), sealedAs(tx.Tenant(), s.id), sealed)
	}
	if err == nil {
		s.private, err = x509.ParsePKCS1PrivateKey(plain)
	}
	if err != nil {
		return s, false, fmt.Errorf("open a key: %w", err)
	}
	return s, true, nil
}

func (s signing) sign(claims jwt.MapClaims) (string, error) {
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, claims)
	token.Header["kid"] = s.id.String()
	signed, err := token.SignedString(s.private)
	if err != nil {
		return "", fmt.Errorf("sign as a tool: %w", err)
	}
	return signed, nil
}

// Keys shows the public keys of a tenant, which its platforms read. Errors: not_found.
func (d *Desk) Keys(ctx context.Context, tenant string) (Keys, error) {
	id, err := d.store.TenantBySlug(ctx, tenant)
	if err != nil {
		return Keys{}, err
	}
	keys := Keys{[]json.RawMessage{}}
	err = d.store.Write(ctx, db.System(id, "lti"), func(tx *db.Tx) error {
		_, err := signer(ctx, tx)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `
			select public_key from lti_keys k where tenant_id = $1 and not exists (
				select from lti_keys n where n.tenant_id = $1 and n.signs_from > k.signs_from and n.signs_from < $2)
			order by signs_from desc`, tx.Tenant(), tx.Now().Add(-KeyStays))
		if err != nil {
			return err
		}
		keys.Keys, err = pgx.AppendRows(keys.Keys[:0], rows, pgx.RowTo[json.RawMessage])
		return err
	})
	if err != nil {
		return Keys{}, errs.Wrap(errs.Of(err).Code, err, "The keys cannot be read.")
	}
	return keys, nil
}
