package access

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Ways of signing in other than a link end as a link does: in a code that the application trades for a token. What
// they share with links is here.

// CheckRedirect refuses addresses that nobody allowed, and a sign-in that leads nowhere.
func (a *Authority) CheckRedirect(r Redirect) error {
	if !r.Home && r.URI == "" {
		return errs.Invalid(errs.Field{Path: "redirectUri", Code: "required", Message: "say where the sign-in leads"})
	}
	return r.check(a.options)
}

// NewToken makes a secret that names its tenant.
func NewToken(tenant ids.ID) string { return newLinkToken(tenant) }

// TenantOf gives the tenant that a secret names; ids.None when it is no such secret.
func TenantOf(token string) ids.ID { return tenantOf(token) }

// Seal hides a secret in the database, under the name of its row.
func (a *Authority) Seal(as string, plain []byte) ([]byte, error) {
	return Seal(a.options.KeySecret, as, plain)
}

// Unseal opens what Seal made with the same name.
func (a *Authority) Unseal(as string, sealed []byte) ([]byte, error) {
	return Unseal(a.options.KeySecret, as, sealed)
}

// CodeInput says whom a code signs in, by which identity provider, and where it leads.
type CodeInput struct {
	User, OrgUnit, Provider ids.ID
	Redirect
}

// GiveCode makes a code for somebody whom an identity provider knows, and says where to go with it. Trading it gives no
// step-up proof.
func (a *Authority) GiveCode(ctx context.Context, tx *db.Tx, in CodeInput) (string, error) {
	if in.Home {
		in.URI = Home
	}
	if in.URI != Home && !leadsTo(a.options, in.URI) {
		return "", errs.New(errs.LinkInvalid, "The address that this sign-in leads to is no longer allowed.")
	}
	code := newLinkToken(tx.Tenant())
	hash := sha256.Sum256([]byte(code))
	until := tx.Now().Add(CodeLifetime)
	_, err := tx.Exec(ctx, `
		insert into magic_links (tenant_id, id, user_id, org_unit_id, created_at, expires_at, redirect_uri, code_challenge, state, code_hash, code_expires_at, provider_id)
		values ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9, ''), $10, $6, $11)`,
		tx.Tenant(), ids.New(), in.User, in.OrgUnit, tx.Now(), until, in.URI, in.Challenge, in.State, hash[:], in.Provider)
	if err != nil {
		return "", fmt.Errorf("store the code of a sign-in: %w", err)
	}
	with := url.Values{"code": {code}}
	if in.State != "" {
		with.Set("state", in.State)
	}
	return in.URI + "#" + with.Encode(), nil
}
