package access

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/config"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/job"
	"assess/pkg/people/people"
)

// LoginInput requests a magic link.
type LoginInput struct {
	Tenant  string `json:"tenant" minLength:"1" maxLength:"63" doc:"Slug of the tenant" example:"north-college"`
	Email   string `json:"email" minLength:"3" maxLength:"320" doc:"E-mail address of the user" example:"ada@example.org"`
	OrgUnit string `json:"orgUnit,omitempty" maxLength:"63" doc:"Slug of the org unit to sign in to; default: the user's first"`
	Redirect
}

// Redirect says where a link leads once its button was pressed, and proves that the one who trades
// the code also requested it (RFC 7636, S256).
type Redirect struct {
	URI       string `json:"redirectUri,omitempty" maxLength:"2000" doc:"Where the button of the link leads, with #code=...&state=...; auth.app_url or one of auth.redirect_urls, exactly. Without it: auth.app_url" example:"https://app.example.org/start"`
	Challenge string `json:"codeChallenge,omitempty" minLength:"43" maxLength:"43" pattern:"^[A-Za-z0-9_-]{43}$" doc:"base64url(SHA-256(codeVerifier)); required with redirectUri" example:"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"`
	State     string `json:"state,omitempty" maxLength:"500" doc:"Comes back with the code, for the app to know its own sign-in again"`
	// Home leads to the service's own page, which sends a challenge as every app does.
	Home bool `json:"-"`
}

// Home is where links lead that the service's own page requested.
const Home = "/"

// check refuses addresses that nobody allowed: anyone who gets the code of a link signs in as its user.
func (r Redirect) check(o config.Auth) error {
	var bad []errs.Field
	switch {
	case r.Home:
	case r.URI == "" && (r.Challenge != "" || r.State != ""):
		bad = append(bad, errs.Field{Path: "redirectUri", Code: "required", Message: "codeChallenge and state belong to an address to lead to"})
	case r.URI != "" && !leadsTo(o, r.URI):
		bad = append(bad, errs.Field{Path: "redirectUri", Code: "not_allowed", Message: "it is neither auth.app_url nor one of auth.redirect_urls"})
	case r.URI != "" && r.Challenge == "":
		bad = append(bad, errs.Field{Path: "codeChallenge", Code: "required", Message: "it is the SHA-256 of a secret of yours, in base64url"})
	}
	return errs.Invalid(bad...)
}

func leadsTo(o config.Auth, uri string) bool {
	return uri == o.AppURL || slices.Contains(o.RedirectURLs, uri)
}

// RequestLink queues a magic link for an address. Whether tenant and address are known shows
// neither in the outcome nor in the work done: an unknown one gets a link that leads
// nowhere and is never mailed, and so does an unknown tenant. rate_limited after too many calls for the address or from
// the network address.
func (a *Authority) RequestLink(ctx context.Context, in LoginInput, remote string) error {
	tenant, email := strings.ToLower(strings.TrimSpace(in.Tenant)), strings.ToLower(strings.TrimSpace(in.Email))
	err := in.Redirect.check(a.options)
	if err != nil {
		return err
	}
	err = a.CountAddress(ctx, remote)
	if err != nil {
		return err
	}
	err = Allow(ctx, a.store, Limit{a.options.LoginPerEmail, time.Minute}, "login email "+tenant+" "+email)
	if err != nil {
		return err
	}
	tenantID, err := a.store.TenantBySlug(ctx, tenant)
	if errors.Is(err, errs.NotFound) {
		tenantID, err = ids.New(), nil // nobody's: the same work, for a link that is not kept
	}
	if err != nil {
		return err
	}
	return a.store.Write(ctx, db.System(tenantID, "login"), func(tx *db.Tx) error {
		return a.queueLink(ctx, tx, email, in)
	})
}

// queueLink does the same for everybody; a link for an unknown address is nobody's.
func (a *Authority) queueLink(ctx context.Context, tx *db.Tx, email string, in LoginInput) error {
	user, org, err := linkTarget(ctx, tx, email, in.OrgUnit)
	if err != nil {
		return err
	}
	link := ids.New()
	if in.Home {
		in.URI = Home
	}
	_, err = tx.Exec(ctx, `
		insert into magic_links (tenant_id, id, user_id, org_unit_id, created_at, expires_at, redirect_uri, code_challenge, state)
		select id, $2, $3, $4, $5, $6, nullif($7, ''), nullif($8, ''), nullif($9, '') from tenants where id = $1`,
		tx.Tenant(), link, user, org, tx.Now(), tx.Now().Add(a.options.MagicLinkLifetime), in.URI, in.Challenge, in.State)
	if err != nil {
		return fmt.Errorf("store magic link: %w", err)
	}
	return job.Insert(ctx, tx, MailLink{Tenant: tx.Tenant(), Link: link})
}

const linkTargetSQL = `
select u.id, o.id from users u
join user_org_units m on m.tenant_id = $1 and m.user_id = u.id
join org_units o on o.tenant_id = $1 and o.id = m.org_unit_id
where u.tenant_id = $1 and u.email_key = $2 and u.status = 'active' and ($3 = '' or o.slug = $3)
order by o.created_at, o.id limit 1`

// linkTarget finds the user and the org unit to sign in to; nil and nil when there is no such active member. It is one
// statement, the same for every address.
func linkTarget(ctx context.Context, tx *db.Tx, email, orgUnit string) (user, org *ids.ID, err error) {
	key, _ := people.EmailKey(email) // text that is no address belongs to nobody
	err = tx.QueryRow(ctx, linkTargetSQL, tx.Tenant(), key, orgUnit).Scan(&user, &org)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, nil, fmt.Errorf("find whom the link is for: %w", err)
	}
	return user, org, nil
}
