package access

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// CodeLifetime is how long the app has to trade a code for a token.
const CodeLifetime = time.Minute

// Press is what the button of a link does. A link that leads somewhere gives its code, once, in the
// address to go to: behind the #, so that neither servers nor the pages that come after see it. To
// is empty when there is no app to go to, and then the link has given the session itself.
// Errors: link_invalid.
func (a *Authority) Press(ctx context.Context, token string) (to string, s Session, err error) {
	tenant := tenantOf(token)
	if tenant == ids.None {
		return "", Session{}, invalidLink()
	}
	err = a.store.Write(ctx, db.System(tenant, "verify"), func(tx *db.Tx) error {
		to, err = a.giveCode(ctx, tx, token)
		if err == nil && to == "" {
			s, err = a.redeem(ctx, tx, "token_hash", token, "")
		}
		return err
	})
	return to, s, err
}

// giveCode replaces the token of a link by a code, and says where to go with it; nowhere when
// neither the link nor the settings name an address.
func (a *Authority) giveCode(ctx context.Context, tx *db.Tx, token string) (string, error) {
	hash, code := sha256.Sum256([]byte(token)), newLinkToken(tx.Tenant())
	codeHash := sha256.Sum256([]byte(code))
	var uri, state string
	var assignment *ids.ID
	err := tx.QueryRow(ctx, `
		update magic_links set token_hash = null, code_hash = $4, code_expires_at = $5
		where tenant_id = $1 and token_hash = $2 and redeemed_at is null and expires_at > $3 and user_id is not null
			and coalesce(redirect_uri, $6) <> ''
		returning coalesce(redirect_uri, $6), coalesce(state, ''), assignment_id`,
		tx.Tenant(), hash[:], tx.Now(), codeHash[:], tx.Now().Add(CodeLifetime), a.options.AppURL).Scan(&uri, &state, &assignment)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("give the code of a link: %w", err)
	}
	if !leadsTo(a.options, uri) {
		return "", errs.New(errs.LinkInvalid, "The address that this link leads to is no longer allowed. Ask for a new link.")
	}
	with := url.Values{"code": {code}}
	if state != "" {
		with.Set("state", state)
	}
	if assignment != nil {
		with.Set("assignment", assignment.String())
	}
	return uri + "#" + with.Encode(), nil
}

// Trade gives the session for a code, once and within CodeLifetime. verifier is the secret whose
// SHA-256 came with the request for the link (RFC 7636, section 4.5); a link that nobody's app asked
// for, as that of an invitation, needs none. Errors: link_invalid.
func (a *Authority) Trade(ctx context.Context, code, verifier string) (Session, error) {
	tenant := tenantOf(code)
	if tenant == ids.None {
		return Session{}, invalidLink()
	}
	var s Session
	err := a.store.Write(ctx, db.System(tenant, "verify"), func(tx *db.Tx) error {
		var err error
		s, err = a.redeem(ctx, tx, "code_hash", code, verifier)
		return err
	})
	return s, err
}

// AppURL is the application that links lead to; empty for none.
func (a *Authority) AppURL() string { return a.options.AppURL }

// RedirectOrigins are the origins that links may lead to.
func (a *Authority) RedirectOrigins() []string {
	var origins []string
	for _, to := range append([]string{a.options.AppURL}, a.options.RedirectURLs...) {
		u, err := url.Parse(to)
		if err == nil && u.Host != "" {
			origins = append(origins, u.Scheme+"://"+u.Host)
		}
	}
	slices.Sort(origins)
	return slices.Compact(origins)
}

// proves says whether a verifier fits the challenge that a link was asked for with.
func proves(challenge *string, verifier string) bool {
	if challenge == nil {
		return verifier == ""
	}
	hash := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(hash[:])), []byte(*challenge)) == 1
}
