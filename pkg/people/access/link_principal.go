package access

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// linkType is the typ in the header of a link's token (RFC 8725, section 3.11), so that neither kind of
// token passes for the other.
const linkType = "link+jwt"

// LinkClaims are the claims of a link's token (specification, section 5.8). The id of the token is the
// link's, whose row decides.
type LinkClaims struct {
	jwt.RegisteredClaims
	TenantID                ids.ID `json:"tenantId"`
	SubmissionID            ids.ID `json:"submissionId"`
	CanViewReadinessReasons bool   `json:"canViewReadinessReasons,omitempty"`
}

// Link is a new link principal with its secrets, which are stored nowhere in clear.
type Link struct {
	Token string
	// Code leads one browser to the page.
	Code string
}

// mayRead has the capabilities of a link to a submission inside the routes that take it; no other route takes it.
func mayRead() capability.Set {
	return capability.Set{capability.SubmissionsRead: {}, capability.EvidenceRead: {}}
}

// mayReport is the same of a link to a report. It shows what questions say where its maker may read them.
func mayReport(readsQuestions bool) capability.Set {
	may := capability.Set{capability.ReportingView: {}}
	if readsQuestions {
		may[capability.QuestionsRead] = struct{}{}
	}
	return may
}

// LinkEnd gives when a new link ends: at the requested moment, or by the settings. Errors:
// validation_failed for a moment that is over or too far away.
func (a *Authority) LinkEnd(now time.Time, asked *time.Time) (time.Time, error) {
	if asked == nil {
		return now.Add(a.options.LinkLifetime), nil
	}
	if !asked.After(now) {
		return time.Time{}, errs.Invalid(errs.Field{Path: "expiresAt", Code: "out_of_range", Message: "the moment is over"})
	}
	if latest := now.Add(a.options.LinkLongest); asked.After(latest) {
		return time.Time{}, errs.Invalid(errs.Field{Path: "expiresAt", Code: "out_of_range",
			Message: "a link is valid until " + latest.UTC().Format(time.RFC3339) + " at most"})
	}
	return *asked, nil
}

// StoreLink stores a link principal and gives the code that leads one browser to its page. The caller has
// checked the capability, and has found what the link is about.
func StoreLink(ctx context.Context, tx *db.Tx, row models.LinkPrincipal) (string, error) {
	code := newLinkToken(tx.Tenant())
	hash := sha256.Sum256([]byte(code))
	row.CodeHash = hash[:]
	_, err := tx.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
	if err != nil {
		return "", fmt.Errorf("store link principal: %w", err)
	}
	return code, nil
}

// IssueLink is StoreLink with a signed token, for a link to a submission.
func (a *Authority) IssueLink(ctx context.Context, tx *db.Tx, row models.LinkPrincipal) (Link, error) {
	code, err := StoreLink(ctx, tx, row)
	if err != nil {
		return Link{}, err
	}
	l := Link{Code: code}
	key, err := a.keys.current(ctx, tx)
	if err != nil {
		return Link{}, err
	}
	t := jwt.NewWithClaims(jwt.SigningMethodEdDSA, LinkClaims{TenantID: tx.Tenant(), SubmissionID: row.SubmissionID,
		CanViewReadinessReasons: row.CanViewReadinessReasons, RegisteredClaims: jwt.RegisteredClaims{Issuer: a.options.Issuer,
			ID: row.ID.String(), IssuedAt: jwt.NewNumericDate(row.CreatedAt), ExpiresAt: jwt.NewNumericDate(row.ExpiresAt)}})
	t.Header["kid"], t.Header["typ"] = key.ID, linkType
	l.Token, err = t.SignedString(key.private)
	if err != nil {
		return Link{}, fmt.Errorf("sign the token of a link: %w", err)
	}
	return l, nil
}

// IsLink says whether a token claims to be one of a link. It checks nothing.
func IsLink(token string) bool {
	header, _, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(header)
	var said struct{ Typ string }
	return err == nil && json.Unmarshal(text, &said) == nil && said.Typ == linkType
}

// AuthenticateLink gives the scope of a link by its token. Errors: unauthenticated, also once the link
// is withdrawn; token_expired.
func (a *Authority) AuthenticateLink(ctx context.Context, token string) (db.Scope, error) {
	var c LinkClaims
	_, err := jwt.ParseWithClaims(token, &c, func(t *jwt.Token) (any, error) {
		if _, critical := t.Header["crit"]; critical || t.Header["typ"] != linkType {
			return nil, errors.New("not the token of a link")
		}
		kid, _ := t.Header["kid"].(string)
		key, there, err := a.keys.find(ctx, kid)
		if err == nil && !there {
			err = errors.New("unknown key")
		}
		if err != nil {
			return nil, err
		}
		return key.public(), nil
	}, jwt.WithValidMethods([]string{"EdDSA"}), jwt.WithIssuer(a.options.Issuer), jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(), jwt.WithLeeway(leeway))
	if errors.Is(err, jwt.ErrTokenExpired) {
		return db.Scope{}, errLinkExpired
	}
	if err != nil {
		return db.Scope{}, refused(err)
	}
	link, err := ids.Parse("jti", c.ID)
	if err != nil {
		return db.Scope{}, refused(err)
	}
	return a.linkScope(ctx, c.TenantID, linkByIDSQL, link)
}

// AuthenticateBrowser gives the scope of the link that a browser has opened, by the secret in its cookie,
// and by the submission or, of a link to a report, its own id; of several to a submission, of the one that
// holds longest. Errors: as AuthenticateLink.
func (a *Authority) AuthenticateBrowser(ctx context.Context, secret string, about ids.ID) (db.Scope, error) {
	tenant := tenantOf(secret)
	if tenant == ids.None {
		return db.Scope{}, errs.New(errs.Unauthenticated, "This browser did not open the link, or it keeps no cookies. Follow the link in your message in a browser that keeps them; where it does not open any more, ask for a new one.")
	}
	hash := sha256.Sum256([]byte(secret))
	return a.linkScope(ctx, tenant, linkByBrowserSQL, hash[:], about)
}

var (
	errLinkGone    = errs.New(errs.Unauthenticated, "The link was withdrawn, or there is no such link.")
	errLinkExpired = errs.New(errs.TokenExpired, "The link has expired; ask for a new one.")
)

const (
	linkByIDSQL = `
select id, org_unit_id, expires_at, created_by, report is not null from link_principals where tenant_id = $1 and id = $2 and revoked_at is null`
	linkByBrowserSQL = `
select id, org_unit_id, expires_at, created_by, report is not null from link_principals
where tenant_id = $1 and browser_hash = $2 and (submission_id = $3 or id = $3 and report is not null) and revoked_at is null
order by expires_at desc limit 1`
)

// linkScope looks at the row each time: a link that is withdrawn ends in every process at once.
func (a *Authority) linkScope(ctx context.Context, tenant ids.ID, query string, by ...any) (db.Scope, error) {
	scope := db.Scope{Tenant: tenant, Actor: db.Actor{Kind: db.LinkActor}, Capabilities: mayRead()}
	var maker string
	var reports bool
	err := a.store.Read(ctx, db.System(tenant, "link"), func(tx *db.Tx) error {
		var expires time.Time
		err := tx.QueryRow(ctx, query, append([]any{tenant}, by...)...).Scan(&scope.Actor.ID, &scope.OrgUnit, &expires, &maker, &reports)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return errLinkGone
		case err != nil:
			return fmt.Errorf("find link principal: %w", err)
		case !expires.After(tx.Now()):
			return errLinkExpired
		}
		return nil
	})
	if err != nil {
		return scope, err
	}
	if !reports {
		_, err = a.makerMay(ctx, tenant, scope.OrgUnit, maker, HandOn)
		return scope, err
	}
	readsQuestions, err := a.makerMay(ctx, tenant, scope.OrgUnit, maker, []capability.Capability{capability.ReportingView}, capability.QuestionsRead)
	scope.Capabilities = mayReport(readsQuestions)
	return scope, err
}

// NameOfMaker is who shared a report: its maker by name, or the organisation where they have none any more, or a restriction of
// processing keeps it.
func NameOfMaker(ctx context.Context, tx *db.Tx, maker string) (string, error) {
	user, _ := ids.Parse("createdBy", strings.TrimPrefix(maker, string(db.UserActor)+":")) // operators are nobody's user
	var name string
	err := tx.QueryRow(ctx, `select coalesce((select nullif(name, '') from users where tenant_id = $1 and id = $2 and not restricted),
		(select name from tenants where id = $1), '')`, tx.Tenant(), user).Scan(&name)
	if err != nil {
		return "", fmt.Errorf("read who shared a report: %w", err)
	}
	return name, nil
}

// HandOn has the capabilities that the maker of a link to a submission needs.
var HandOn = []capability.Capability{capability.ExceptionsTriage, capability.SubmissionsRead, capability.EvidenceRead}

// makerMay says whether somebody who made a link into an org unit may still make one: the link shows no more than
// that, and no longer; and whether they have the further capabilities too. Operators may, and have. Errors: unauthenticated.
func (a *Authority) makerMay(ctx context.Context, tenant, orgUnit ids.ID, maker string, needs []capability.Capability, further ...capability.Capability) (bool, error) {
	named, isUser := strings.CutPrefix(maker, string(db.UserActor)+":")
	if !isUser {
		return true, nil
	}
	user, err := ids.Parse("createdBy", named)
	if err != nil {
		return false, errLinkGone
	}
	g, err := a.grants.get(ctx, principal{tenant, user})
	if err != nil {
		return false, err
	}
	caps, err := a.grants.capabilities(ctx, tenant, g.roles)
	if err != nil {
		return false, err
	}
	lacks := func(c capability.Capability) bool { return !caps.Has(c) }
	if slices.ContainsFunc(needs, lacks) || !g.active || !g.belongs(orgUnit) && lacks(capability.ScopeAll) {
		return false, errLinkGone
	}
	return !slices.ContainsFunc(further, lacks), nil
}
