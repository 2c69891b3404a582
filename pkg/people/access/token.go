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

// Claims is what a token says (specification, section 5.1): nothing large, nothing that
// changes.
type Claims struct {
	jwt.RegisteredClaims
	UserID    ids.ID   `json:"userId"`
	TenantID  ids.ID   `json:"tenantId"`
	OrgUnitID ids.ID   `json:"orgUnitId"`
	RoleIDs   []ids.ID `json:"roleIds"`
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
	return a.sign(ctx, tx, Claims{UserID: user, TenantID: tx.Tenant(), OrgUnitID: orgUnit, RoleIDs: g.roleIDs()})
}

func (a *Authority) sign(ctx context.Context, tx *db.Tx, c Claims) (Token, error) {
	key, err := a.keys.current(ctx, tx)
	if err != nil {
		return Token{}, err
	}
	expires := tx.Now().Add(a.options.TokenLifetime)
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
// there is none. The capabilities are those that the token's roles give its user now.
func (a *Authority) Authenticate(ctx context.Context, token string) (db.Scope, error) {
	v, err := a.verify(ctx, token)
	if err != nil {
		return db.Scope{}, err
	}
	g, err := a.grants.get(ctx, principal{v.claims.TenantID, v.claims.UserID})
	if err != nil {
		return db.Scope{}, err
	}
	caps := g.capabilities(v.claims.RoleIDs)
	if !g.active || !g.belongs(v.claims.OrgUnitID) {
		return db.Scope{}, errs.New(errs.Unauthenticated, "The token's user is no longer active in its org unit.")
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
		_, there, err := a.keys.find(ctx, v.kid)
		if err != nil {
			return verified{}, err
		}
		if there && time.Now().Before(v.claims.ExpiresAt.Add(leeway)) {
			return v, nil
		}
		a.tokens.Invalidate(token)
	}
	v = verified{}
	_, err := jwt.ParseWithClaims(token, &v.claims, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		key, there, err := a.keys.find(ctx, kid)
		if err != nil {
			return nil, err
		}
		if !there {
			return nil, errors.New("unknown key")
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

func refused(err error) error {
	if errors.Is(err, errs.DatabaseUnavailable) {
		return errs.Of(err)
	}
	if errors.Is(err, jwt.ErrTokenExpired) {
		return errs.New(errs.TokenExpired, "The token has expired; sign in again.")
	}
	return errs.New(errs.Unauthenticated, "The token is not valid.")
}
