package idp

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/oauth2"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

// Somebody who is signed in goes to a provider for two reasons: to step up, or to link their account there. Their application
// requests an address to send the browser to, since it cannot set the cookie that binds the flow to the browser.

// purpose is why a browser is at a provider.
type purpose string

const (
	toSignIn purpose = "sign_in"
	toStepUp purpose = "step_up"
	toLink   purpose = "link"
)

// ContinuePath is where a browser begins what Ask prepared, behind http.base_url.
const ContinuePath = "/api/v1/auth/oidc/continue"

// OwnInput says at which provider somebody who is signed in goes on, and where that leads.
type OwnInput struct {
	Provider  string `json:"provider" minLength:"1" maxLength:"63" example:"campus" doc:"Slug of the identity provider"`
	URI       string `json:"redirectUri" minLength:"1" maxLength:"2000" doc:"Where it leads, with #code=...&state=...; auth.app_url or one of auth.redirect_urls, exactly; or a program on one's own machine, http://127.0.0.1:PORT/, with ?code=...&state=..." example:"https://app.example.org/start"`
	Challenge string `json:"codeChallenge" minLength:"43" maxLength:"43" pattern:"^[A-Za-z0-9_-]{43}$" doc:"base64url(SHA-256(codeVerifier))" example:"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"`
	State     string `json:"state,omitempty" maxLength:"500" doc:"Comes back with the code"`
	// Home leads to the service's own page.
	Home bool `json:"-"`
}

// Address is where an application sends its browser.
type Address struct {
	URL string `json:"url" doc:"Send the browser there, within ten minutes; it works once"`
}

// AskStepUp prepares a step-up of the caller at a provider of theirs. It ends in a code, whose trade gives a step-up proof.
// Errors: not_found, validation_failed for a provider without step-up, or at which the caller has no account.
func (d *Desk) AskStepUp(ctx context.Context, tx *db.Tx, input OwnInput) (Address, error) {
	row, err := active(ctx, tx, "slug = ?", input.Provider)
	if err != nil {
		return Address{}, err
	}
	if !stepsUp(row.StepUp) {
		return Address{}, errs.Invalid(errs.Field{Path: "provider", Code: "no_step_up", Message: "the tenant has not said which sign-ins there are good for a step-up"})
	}
	has, err := hasAccount(ctx, tx, tx.Actor().ID, row.ID)
	if err != nil {
		return Address{}, err
	}
	if !has {
		return Address{}, errs.Invalid(errs.Field{Path: "provider", Code: "no_account", Message: "you have no account there that is linked to you here"})
	}
	return d.ask(ctx, tx, row, toStepUp, input)
}

// AskLink prepares that the caller links their account at a provider to themselves: from then on they sign in with it. They
// show with a step-up proof who they are: a token that somebody found must not become a way in for good. Errors: not_found,
// validation_failed, step_up_required.
func (d *Desk) AskLink(ctx context.Context, tx *db.Tx, input OwnInput) (Address, error) {
	row, err := active(ctx, tx, "slug = ?", input.Provider)
	if err == nil {
		_, err = tx.ConsumeProof(ctx, []string{access.ByMagicLink, access.ByOperator, access.ByOIDC})
	}
	if err != nil {
		return Address{}, err
	}
	return d.ask(ctx, tx, row, toLink, input)
}

func (d *Desk) ask(ctx context.Context, tx *db.Tx, row models.IdentityProvider, why purpose, input OwnInput) (Address, error) {
	to := access.Redirect{URI: input.URI, Challenge: input.Challenge, State: input.State, Home: input.Home}
	err := d.authority.CheckOwnRedirect(to)
	if err != nil {
		return Address{}, err
	}
	ticket := access.NewToken(tx.Tenant())
	err = d.storeFlow(ctx, tx, flow{row: row, redirect: to, purpose: why, user: tx.Actor().ID, orgUnit: tx.Scope().OrgUnit, secrets: newSecrets()}, ticket, "")
	if err != nil {
		return Address{}, err
	}
	return Address{d.base + ContinuePath + "?" + url.Values{"ticket": {ticket}}.Encode()}, nil
}

// Continue sends a browser to the provider for the flow that Ask prepared, once. browser is the secret that the browser keeps
// until it comes back. Errors: sign_in_expired, provider_unavailable, rate_limited.
func (d *Desk) Continue(ctx context.Context, ticket, browser, remote string) (string, error) {
	err := d.authority.CountAddress(ctx, remote)
	if err != nil {
		return "", err
	}
	tenant := access.TenantOf(ticket)
	if tenant == ids.None {
		return "", expired()
	}
	var f flow
	state := access.NewToken(tenant)
	ticketHash, stateHash, browserHash := sha256.Sum256([]byte(ticket)), sha256.Sum256([]byte(state)), sha256.Sum256([]byte(browser))
	err = d.store.Write(ctx, db.System(tenant, "sign_in"), func(tx *db.Tx) error {
		return d.readFlow(ctx, tx, &f, `
			update sign_in_flows set state_hash = $4, browser_hash = $5
			where tenant_id = $1 and state_hash = $2 and browser_hash = '' and used_at is null and expires_at > $3 returning `+flowColumns,
			tx.Tenant(), ticketHash[:], tx.Now(), stateHash[:], browserHash[:])
	})
	if err != nil {
		return "", err
	}
	return d.addressFor(ctx, f, state)
}

// defaultMaxAge is how old a sign-in may be that is good for a step-up, in seconds.
const defaultMaxAge = 300

func stepsUp(s models.ProviderStepUp) bool { return len(s.ACR)+len(s.AMR) > 0 }

// asksFor are the parameters by which a provider knows that a step-up is wanted.
func asksFor(s models.ProviderStepUp) []oauth2.AuthCodeOption {
	asked := []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("max_age", strconv.Itoa(s.MaxAge))}
	if len(s.ACR) > 0 {
		asked = append(asked, oauth2.SetAuthURLParam("acr_values", strings.Join(s.ACR, " ")))
	}
	return asked
}

// proof is the part of an ID token about how somebody signed in. UserInfo has no say in it: nobody signs that.
type proof struct {
	At  *jsonTime `json:"auth_time"`
	ACR string    `json:"acr"`
	AMR []string  `json:"amr"`
}

// jsonTime is a moment in seconds since 1970, also one with a fraction.
type jsonTime time.Time

func (t *jsonTime) UnmarshalJSON(text []byte) error {
	var seconds float64
	err := json.Unmarshal(text, &seconds)
	*t = jsonTime(time.Unix(int64(seconds), 0))
	return err
}

// clockLeeway is how far the clocks of a provider and of the service may be apart.
const clockLeeway = time.Minute

// holds refuses a sign-in that is too old, or too weak, for a step-up. A claim that the provider does not send does not
// count: many ignore the request and leave it out.
func (p proof) holds(s models.ProviderStepUp, now time.Time) error {
	if p.At == nil {
		return insufficient("auth_time", "The identity provider does not say when you signed in there.")
	}
	age := now.Sub(time.Time(*p.At))
	if age > time.Duration(s.MaxAge)*time.Second+clockLeeway || age < -clockLeeway {
		return insufficient("auth_time", "You signed in at the identity provider too long ago. Sign in there again.")
	}
	if !slices.Contains(s.ACR, p.ACR) && !slices.ContainsFunc(p.AMR, func(m string) bool { return slices.Contains(s.AMR, m) }) {
		return insufficient("acr", "The identity provider does not say that you signed in as strongly as it takes, for example with a second factor.")
	}
	return nil
}

func insufficient(reason, message string) error {
	return errs.New(errs.StepUpInsufficient, "%s", message).With("reason", reason)
}

// finish ends what somebody began who was signed in.
func (d *Desk) finish(ctx context.Context, tx *db.Tx, f flow, who identity) (string, error) {
	p, err := people.ReadEntrant(ctx, tx, "u.id = $2", f.user)
	if err == nil {
		err = p.MayEnter()
	}
	if err != nil {
		return "", err
	}
	owner, err := seen(ctx, tx, f.row, who)
	if err != nil {
		return "", err
	}
	switch {
	case f.purpose == toStepUp && owner != f.user:
		return "", insufficient("account", "You signed in at the identity provider as somebody else. Sign in there with your own account.")
	case f.purpose == toStepUp:
		err = who.proof.holds(f.row.StepUp, tx.Now())
	case owner != ids.None && owner != f.user:
		return "", errs.New(errs.AccountTaken, "This account at the identity provider belongs to somebody else here. Ask an administrator.")
	case owner == ids.None:
		_, err = who.address(f.row)
		if err == nil {
			err = addAccount(ctx, tx, f.row, f.user, who)
		}
	}
	if err != nil {
		return "", err
	}
	code := access.CodeInput{User: f.user, OrgUnit: f.orgUnit, Provider: f.row.ID, Redirect: f.redirect}
	if f.purpose == toStepUp {
		code.Proof = access.ByOIDC
	}
	return d.authority.GiveCode(ctx, tx, code)
}

// seen notes that somebody came with an account, and gives whose it is; ids.None: nobody's.
func seen(ctx context.Context, tx *db.Tx, row models.IdentityProvider, who identity) (ids.ID, error) {
	var user ids.ID
	err := tx.QueryRow(ctx, "update user_accounts set last_seen_at = $5 where tenant_id = $1 and source = $2 and source_id = $3 and subject = $4 returning user_id",
		tx.Tenant(), people.FromOIDC, row.ID, who.subject, tx.Now()).Scan(&user)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return ids.None, fmt.Errorf("find whose account it is: %w", err)
	}
	return user, nil
}

func addAccount(ctx context.Context, tx *db.Tx, row models.IdentityProvider, user ids.ID, who identity) error {
	now := tx.Now().UTC()
	_, err := people.AddAccount(ctx, tx, people.Account{UserID: user, Source: people.FromOIDC, SourceID: row.ID, Subject: who.subject, LastSeenAt: &now})
	return err
}

func hasAccount(ctx context.Context, tx *db.Tx, user, provider ids.ID) (has bool, err error) {
	err = tx.QueryRow(ctx, "select exists (select from user_accounts where tenant_id = $1 and user_id = $2 and source = $3 and source_id = $4)",
		tx.Tenant(), user, people.FromOIDC, provider).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("look for accounts: %w", err)
	}
	return has, nil
}

// StepUp is a provider where somebody can step up, and what to request from it (RFC 9470).
type StepUp struct {
	Provider  string   `json:"provider"`
	Name      string   `json:"name"`
	ACRValues []string `json:"acrValues"`
	MaxAge    int      `json:"maxAge"`
}

// ListStepUps lists the providers at which a user has an account and can step up.
func ListStepUps(ctx context.Context, tx *db.Tx, user ids.ID) ([]StepUp, error) {
	rows, err := tx.Query(ctx, `
		select distinct p.slug, p.name, p.step_up from user_accounts a
		join identity_providers p on p.tenant_id = a.tenant_id and p.id = a.source_id and p.status = $4 and p.step_up <> '{}'
		where a.tenant_id = $1 and p.tenant_id = $1 and a.user_id = $2 and a.source = $3 order by p.slug`,
		tx.Tenant(), user, people.FromOIDC, models.ProviderActive)
	if err != nil {
		return nil, fmt.Errorf("find where to step up: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (StepUp, error) {
		var s StepUp
		var asked models.ProviderStepUp
		err := row.Scan(&s.Provider, &s.Name, &asked)
		s.ACRValues, s.MaxAge = orEmpty(asked.ACR), asked.MaxAge
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("find where to step up: %w", err)
	}
	return all, nil
}
