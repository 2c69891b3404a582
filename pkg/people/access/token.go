package access

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// leeway is how far the clocks of two machines may differ.
const leeway = 60 * time.Second

// Claims are the claims of a token (specification, section 5.1): nothing large, nothing that
// changes. Generation is the generation of the user's tokens at the time, SignedIn when the
// user signed in; refreshing keeps it.
type Claims struct {
	jwt.RegisteredClaims
	Generation int              `json:"generation"`
	SignedIn   *jwt.NumericDate `json:"auth_time"`
	UserID     ids.ID           `json:"userId"`
	TenantID   ids.ID           `json:"tenantId"`
	OrgUnitID  ids.ID           `json:"orgUnitId"`
	RoleIDs    []ids.ID         `json:"roleIds"`
}

// Token is a signed token and when it expires.
type Token struct {
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// IssueToken signs a token for an active user of the transaction's tenant. orgUnit may be
// None: the user's first org unit is taken. not_found when the user is unknown,
// deactivated or not a member of the org unit.
func (a *Authority) IssueToken(ctx context.Context, tx *db.Tx, user, orgUnit ids.ID) (Token, error) {
	g, err := loadGrants(ctx, tx, user)
	if err != nil {
		return Token{}, err
	}
	if orgUnit == ids.None && len(g.orgUnits) > 0 {
		orgUnit = g.orgUnits[0]
	}
	if !g.active || !g.belongs(orgUnit) {
		return Token{}, errs.New(errs.NotFound, "There is no such active user in this org unit.")
	}
	return a.sign(ctx, tx, Claims{UserID: user, TenantID: tx.Tenant(), OrgUnitID: orgUnit, RoleIDs: g.roles,
		Generation: g.generation, SignedIn: jwt.NewNumericDate(tx.Now())})
}

// Refresh trades a token that holds for one with the current roles, in the same org unit. It
// looks at the user in its own transaction: a fresh token must not miss a change that the cache
// has not heard of yet. Tokens that follow one another end with the session that began at the
// sign-in. Errors: unauthenticated, token_expired.
func (a *Authority) Refresh(ctx context.Context, tx *db.Tx, token string) (Token, error) {
	v, err := a.verify(ctx, token)
	if err != nil {
		return Token{}, err
	}
	g, err := loadGrants(ctx, tx, v.claims.UserID)
	if err != nil {
		return Token{}, err
	}
	if !g.admits(v.claims) || v.claims.TenantID != tx.Tenant() {
		return Token{}, noLonger()
	}
	if !tx.Now().Before(a.sessionEnd(v.claims)) {
		return Token{}, errs.New(errs.TokenExpired, "The session is over; sign in again.")
	}
	c := v.claims
	c.RoleIDs = g.roles
	return a.sign(ctx, tx, c)
}

// EndToken ends one token of a user, in every process; the user's other tokens still hold. One that holds no longer is not changed.
func (a *Authority) EndToken(ctx context.Context, token string) error {
	v, err := a.verify(ctx, token)
	if errors.Is(err, errs.Unauthenticated) || errors.Is(err, errs.TokenExpired) {
		return nil
	}
	if err != nil {
		return err
	}
	return a.store.Write(ctx, db.System(v.claims.TenantID, "sign-out"), func(tx *db.Tx) error {
		err := tx.AnnounceAccess(ctx)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `insert into ended_tokens (tenant_id, user_id, token_id, expires_at)
			select $1, id, $3, $4 from users where tenant_id = $1 and id = $2 on conflict do nothing`, tx.Tenant(), v.claims.UserID, v.claims.ID, v.claims.ExpiresAt.Add(leeway))
		if err != nil {
			return fmt.Errorf("end token: %w", err)
		}
		return nil
	})
}

func (a *Authority) sessionEnd(c Claims) time.Time { return c.SignedIn.Add(a.options.SessionLifetime) }

func noLonger() error {
	return errs.New(errs.Unauthenticated, "The token no longer holds, or its user is no longer active in its org unit.")
}

func (a *Authority) sign(ctx context.Context, tx *db.Tx, c Claims) (Token, error) {
	key, err := a.keys.current(ctx, tx)
	if err != nil {
		return Token{}, err
	}
	expires := tx.Now().Add(a.options.TokenLifetime)
	if end := a.sessionEnd(c); end.Before(expires) {
		expires = end
	}
	c.RegisteredClaims = jwt.RegisteredClaims{
		Issuer: a.options.Issuer, ID: ids.New().String(),
		IssuedAt: jwt.NewNumericDate(tx.Now()), ExpiresAt: jwt.NewNumericDate(expires),
	}
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, c)
	t.Header["kid"] = key.ID
	signed, err := t.SignedString(key.private)
	if err != nil {
		return Token{}, fmt.Errorf("sign token: %w", err)
	}
	return Token{Token: signed, ExpiresAt: expires.Truncate(time.Second).UTC()}, nil
}

// verified is a token whose signature was checked, with the key that it hangs on.
type verified struct {
	claims Claims
	kid    string
}

// Authenticate gives the scope of a token's bearer: unauthenticated or token_expired when
// there is none. The capabilities are what the token's roles give its user now.
func (a *Authority) Authenticate(ctx context.Context, token string) (db.Scope, error) {
	v, err := a.verify(ctx, token)
	if err != nil {
		return db.Scope{}, err
	}
	g, err := a.grants.get(ctx, principal{v.claims.TenantID, v.claims.UserID})
	if err != nil {
		return db.Scope{}, err
	}
	if !g.admits(v.claims) {
		return db.Scope{}, noLonger()
	}
	caps, err := a.grants.capabilities(ctx, v.claims.TenantID, g.held(v.claims.RoleIDs))
	if err != nil {
		return db.Scope{}, err
	}
	return db.Scope{
		Tenant:       v.claims.TenantID,
		OrgUnit:      v.claims.OrgUnitID,
		All:          caps.Has(capability.ScopeAll),
		Actor:        db.Actor{Kind: db.UserActor, ID: v.claims.UserID},
		Capabilities: caps,
	}, nil
}

// verify checks signature and times. Checking costs some 60 µs, so the outcome is kept
// for tokens that were good; expiry and the key's existence are asked each time.
func (a *Authority) verify(ctx context.Context, token string) (verified, error) {
	v, known := a.tokens.GetIfPresent(token)
	if known {
		key, there, err := a.keys.find(ctx, v.kid)
		if err != nil {
			return verified{}, err
		}
		if there && a.stillVerifies(key) && time.Now().Before(v.claims.ExpiresAt.Add(leeway)) {
			return v, nil
		}
		a.tokens.Invalidate(token)
	}
	v = verified{}
	_, err := jwt.ParseWithClaims(token, &v.claims, func(t *jwt.Token) (any, error) {
		if _, critical := t.Header["crit"]; critical {
			return nil, errors.New("unknown extension") // RFC 7515, section 4.1.11: we understand none
		}
		kid, _ := t.Header["kid"].(string)
		key, there, err := a.keys.find(ctx, kid)
		if err != nil {
			return nil, err
		}
		if !there || !a.stillVerifies(key) {
			return nil, errors.New("unknown key")
		}
		if v.claims.SignedIn == nil {
			return nil, errors.New("no time of sign-in")
		}
		v.kid = kid
		return key.public(), nil
	}, jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithIssuer(a.options.Issuer), jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(), jwt.WithLeeway(leeway))
	if err != nil {
		return verified{}, refused(err)
	}
	a.tokens.Set(token, v)
	return v, nil
}

// stillVerifies says whether a token of a user can still hang on a key. Retired keys are kept for the
// sake of links, which hold longer.
func (a *Authority) stillVerifies(k signingKey) bool {
	return k.RetiredAt == nil || time.Now().Before(k.RetiredAt.Add(2*a.options.TokenLifetime))
}

func refused(err error) error {
	if errors.Is(err, errKeysUnread) {
		return err
	}
	if errors.Is(err, jwt.ErrTokenExpired) {
		return errs.New(errs.TokenExpired, "The token has expired; sign in again.")
	}
	return errs.New(errs.Unauthenticated, "The token is not valid.")
}

// Named has the name of the user of a scope, and of their organisation.
type Named struct{ Name, Tenant, TenantSlug string }

// NameOf gives the name of the user of a scope, or their address, and the name of their organisation.
func (a *Authority) NameOf(ctx context.Context, scope db.Scope) (Named, error) {
	var who Named
	err := a.store.Read(ctx, db.System(scope.Tenant, "name"), func(tx *db.Tx) error {
		return tx.QueryRow(ctx, `select coalesce(nullif(u.name, ''), u.email, ''), t.name, t.slug from users u join tenants t on t.id = u.tenant_id
			where u.tenant_id = $1 and u.id = $2`, tx.Tenant(), scope.Actor.ID).Scan(&who.Name, &who.Tenant, &who.TenantSlug)
	})
	if err != nil {
		return Named{}, fmt.Errorf("read who it is: %w", err)
	}
	return who, nil
}
