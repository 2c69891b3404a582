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

// Press does the work of a link's button. A link that leads somewhere gives its code, once, in the address
// to go to: after the #, so that neither servers nor the pages that come later see it. To is empty when
// there is no app to go to, and then the link has given the session itself. Errors: link_invalid.
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

// giveCode gives a code for the token of a link, which works no more, and says where to go with it; nowhere when
// neither the link nor the settings name an address.
func (a *Authority) giveCode(ctx context.Context, tx *db.Tx, token string) (string, error) {
	hash, code := sha256.Sum256([]byte(token)), newLinkToken(tx.Tenant())
	codeHash := sha256.Sum256([]byte(code))
	var uri, state string
	var assignment *ids.ID
	err := tx.QueryRow(ctx, `
		update magic_links set code_hash = $4, code_expires_at = $5
		where tenant_id = $1 and token_hash = $2 and redeemed_at is null and code_hash is null and expires_at > $3 and user_id is not null
			and coalesce(redirect_uri, $6) <> ''
		returning coalesce(redirect_uri, $6), coalesce(state, ''), assignment_id`,
		tx.Tenant(), hash[:], tx.Now(), codeHash[:], tx.Now().Add(CodeLifetime), a.options.AppURL).Scan(&uri, &state, &assignment)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("give the code of a link: %w", err)
	}
	if uri != Home && !leadsTo(a.options, uri) {
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
// SHA-256 came with the request for the link (RFC 7636, section 4.5); a link that no app requested,
// such as an invitation's, needs none. Errors: link_invalid.
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

// Spent is a link that does not work any more: whose it was, and where to get a new one.
type Spent struct {
	Tenant, Email string
	// To is the application that it led to; empty for none.
	To string
}

// SpentLink says whose link a token was, so that its holder, who has it from a mail to that address, need not type
// both again. It is empty for a token that nobody knows, or knows no longer.
func (a *Authority) SpentLink(ctx context.Context, token string) (Spent, error) {
	tenant := tenantOf(token)
	if tenant == ids.None {
		return Spent{To: a.options.AppURL}, nil
	}
	hash, spent, uri := sha256.Sum256([]byte(token)), Spent{}, ""
	var assignment *ids.ID
	err := a.store.Read(ctx, db.System(tenant, "verify"), func(tx *db.Tx) error {
		return tx.QueryRow(ctx, `
			select t.slug, coalesce(u.email, ''), coalesce(l.redirect_uri, $3), l.assignment_id from magic_links l
			join tenants t on t.id = l.tenant_id
			join users u on u.tenant_id = l.tenant_id and u.id = l.user_id
			where l.tenant_id = $1 and l.token_hash = $2`, tx.Tenant(), hash[:], a.options.AppURL).
			Scan(&spent.Tenant, &spent.Email, &uri, &assignment)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Spent{To: a.options.AppURL}, nil
	}
	if err != nil {
		return Spent{}, fmt.Errorf("find whose link it was: %w", err)
	}
	switch {
	case uri == Home:
		spent.To = Home
	case leadsTo(a.options, uri) && uri != "":
		with := url.Values{"again": {"yes"}, "tenant": {spent.Tenant}, "email": {spent.Email}}
		if assignment != nil {
			with.Set("assignment", assignment.String())
		}
		spent.To = uri + "#" + with.Encode()
	}
	return spent, nil
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

// proves says whether a verifier fits the challenge that a link was requested with.
func proves(challenge *string, verifier string) bool {
	if challenge == nil {
		return verifier == ""
	}
	hash := sha256.Sum256([]byte(verifier))
	return subtle.ConstantTimeCompare([]byte(base64.RawURLEncoding.EncodeToString(hash[:])), []byte(*challenge)) == 1
}
