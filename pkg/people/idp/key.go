package idp

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
	"golang.org/x/oauth2"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/access"
)

// How the client of a provider shows who it is.
const (
	byNothing = "none"
	bySecret  = "client_secret"
	byKey     = "private_key_jwt"
)

func clientAuth(row models.IdentityProvider) string {
	switch {
	case len(row.SealedKey) > 0:
		return byKey
	case len(row.SealedSecret) > 0:
		return bySecret
	}
	return byNothing
}

// keyBits is the size of the key of a client. Every provider takes RS256.
const keyBits = 2048

// MakeKey makes a new key for the client of an identity provider, which signs with it from then on in place of a secret
// (private_key_jwt, RFC 7523). Keys shows its public half. It needs integrations.manage. Errors: not_found.
func MakeKey(ctx context.Context, tx *db.Tx, authority *access.Authority, id ids.ID) (Provider, error) {
	err := tx.Require(capability.IntegrationsManage)
	if err != nil {
		return Provider{}, err
	}
	row, err := lock(ctx, tx, id)
	if err != nil {
		return Provider{}, err
	}
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return Provider{}, fmt.Errorf("make the key of a client: %w", err)
	}
	row.SealedKey, err = authority.Seal(keyName(row), x509.MarshalPKCS1PrivateKey(key))
	if err != nil {
		return Provider{}, err
	}
	row.PublicKey, err = json.Marshal(jose.JSONWebKey{Key: key.Public(), KeyID: ids.New().String(), Algorithm: string(jose.RS256), Use: "sig"})
	if err != nil {
		return Provider{}, fmt.Errorf("make the key of a client: %w", err)
	}
	row.SealedSecret, row.UpdatedAt = nil, tx.ChangedAt(row.UpdatedAt)
	return saveClient(ctx, tx, row, "identity_provider.key_made")
}

// saveClient stores how a client shows who it is.
func saveClient(ctx context.Context, tx *db.Tx, row models.IdentityProvider, event string) (Provider, error) {
	_, err := tx.NewUpdate().Model(&row).Column("sealed_secret", "sealed_key", "public_key", "updated_at").Where("tenant_id = ? and id = ?", tx.Tenant(), row.ID).Exec(ctx)
	if err != nil {
		return Provider{}, fmt.Errorf("set the secret of an identity provider: %w", err)
	}
	return newProvider(row), ledger.Append(ctx, tx, eventOf(event, row))
}

func keyName(row models.IdentityProvider) string { return secretName(row) + "/key" }

// Keys are the public keys that a provider checks our client with.
type Keys struct {
	Keys []json.RawMessage `json:"keys"`
}

// Keys shows the public key of a tenant's client at a provider, which the provider reads. Errors: not_found.
func (d *Desk) Keys(ctx context.Context, tenant, provider string) (Keys, error) {
	id, err := d.store.TenantBySlug(ctx, tenant)
	if errors.Is(err, errs.NotFound) {
		return Keys{}, noProvider()
	}
	if err != nil {
		return Keys{}, err
	}
	keys := Keys{[]json.RawMessage{}}
	err = d.store.Read(ctx, db.System(id, "sign_in"), func(tx *db.Tx) error {
		row, err := find(ctx, tx, "slug = ?", provider)
		if err == nil && len(row.SealedKey) > 0 {
			keys.Keys = append(keys.Keys[:0], row.PublicKey)
		}
		return err
	})
	return keys, err
}

// assertionLifetime is how long the word of the client holds.
const assertionLifetime = time.Minute

// assertion signs who the client is (RFC 7523, section 2.2); nothing for a client without a key. It is meant only for the
// issuer, so that no provider can pass it on to another.
func (d *Desk) assertion(row models.IdentityProvider) ([]oauth2.AuthCodeOption, error) {
	if len(row.SealedKey) == 0 {
		return nil, nil
	}
	var public struct {
		KeyID string `json:"kid"`
	}
	plain, err := d.authority.Unseal(keyName(row), row.SealedKey)
	if err != nil {
		return nil, fmt.Errorf("open the key of a client: %w", err)
	}
	key, err := x509.ParsePKCS1PrivateKey(plain)
	if err == nil {
		err = json.Unmarshal(row.PublicKey, &public)
	}
	if err != nil {
		return nil, fmt.Errorf("read the key of a client: %w", err)
	}
	now := time.Now()
	token := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.MapClaims{"iss": row.ClientID, "sub": row.ClientID, "aud": row.Issuer, "jti": rand.Text(),
		"iat": now.Unix(), "exp": now.Add(assertionLifetime).Unix()})
	token.Header["kid"] = public.KeyID
	signed, err := token.SignedString(key)
	if err != nil {
		return nil, fmt.Errorf("sign as the client: %w", err)
	}
	return []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
		oauth2.SetAuthURLParam("client_assertion", signed)}, nil
}
