package idp

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/jackc/pgx/v5"
	"golang.org/x/oauth2"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
)

// FlowLifetime is how long a sign-in may stay at the provider.
const FlowLifetime = 10 * time.Minute

// Button is a provider as people choose it.
type Button struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// Buttons lists the providers of a tenant; none of one that is not there.
func (d *Desk) Buttons(ctx context.Context, tenant string) ([]Button, error) {
	id, err := d.store.TenantBySlug(ctx, tenant)
	if errors.Is(err, errs.NotFound) {
		return []Button{}, nil
	}
	if err != nil {
		return nil, err
	}
	all := []Button{}
	err = d.store.Read(ctx, db.System(id, "sign_in"), func(tx *db.Tx) error {
		rows, err := tx.Query(ctx, "select slug, name from identity_providers where tenant_id = $1 and status = $2 order by slug", tx.Tenant(), models.ProviderActive)
		if err != nil {
			return fmt.Errorf("list identity providers: %w", err)
		}
		all, err = pgx.AppendRows(all[:0], rows, pgx.RowToStructByPos[Button])
		return err
	})
	return all, err
}

// StartInput names the tenant and the provider that somebody signs in with, and where it leads.
type StartInput struct {
	Tenant, Provider string
	access.Redirect
}

// secrets are the parts of a flow that only the service knows.
type secrets struct{ Nonce, Verifier string }

// Start begins a sign-in in a browser and says where to send it. browser is the secret that the browser keeps until it comes
// back. Errors: not_found, validation_failed, provider_unavailable, rate_limited.
func (d *Desk) Start(ctx context.Context, input StartInput, browser, remote string) (string, error) {
	err := d.authority.CheckRedirect(input.Redirect)
	if err == nil {
		err = d.authority.CountAddress(ctx, remote)
	}
	if err != nil {
		return "", err
	}
	tenant, err := d.store.TenantBySlug(ctx, input.Tenant)
	if errors.Is(err, errs.NotFound) {
		return "", noProvider()
	}
	if err != nil {
		return "", err
	}
	var row models.IdentityProvider
	err = d.store.Read(ctx, db.System(tenant, "sign_in"), func(tx *db.Tx) error {
		row, err = active(ctx, tx, "slug = ?", input.Provider)
		return err
	})
	if err != nil {
		return "", err
	}
	f, state := flow{row: row, redirect: input.Redirect, purpose: toSignIn, secrets: newSecrets()}, access.NewToken(tenant)
	to, err := d.addressFor(ctx, f, state)
	if err != nil {
		return "", err
	}
	return to, d.store.Write(ctx, db.System(tenant, "sign_in"), func(tx *db.Tx) error { return d.storeFlow(ctx, tx, f, state, browser) })
}

func newSecrets() secrets {
	return secrets{Nonce: rand.Text() + rand.Text(), Verifier: oauth2.GenerateVerifier()}
}

// addressFor is where a flow goes at the provider.
func (d *Desk) addressFor(ctx context.Context, f flow, state string) (string, error) {
	c, err := d.configurationOf(ctx, f.row.Issuer)
	if err != nil {
		return "", err
	}
	o, err := d.oauth(f.row, c)
	if err != nil {
		return "", err
	}
	with := []oauth2.AuthCodeOption{oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)}
	if f.purpose == toStepUp {
		with = append(with, asksFor(f.row.StepUp)...)
	}
	return o.AuthCodeURL(state, with...), nil
}

func noProvider() error { return errs.New(errs.NotFound, "There is no such identity provider.") }

func active(ctx context.Context, tx *db.Tx, condition string, value any) (models.IdentityProvider, error) {
	row, err := find(ctx, tx, condition, value)
	if err == nil && row.Status != models.ProviderActive {
		err = noProvider()
	}
	return row, err
}

// storeFlow keeps a flow until it comes back; without a browser it waits for one that continues it.
func (d *Desk) storeFlow(ctx context.Context, tx *db.Tx, f flow, state, browser string) error {
	id := ids.New()
	plain, err := json.Marshal(f.secrets)
	if err != nil {
		return fmt.Errorf("encode a sign-in: %w", err)
	}
	sealed, err := d.authority.Seal(flowName(id), plain)
	if err != nil {
		return err
	}
	to := f.redirect
	if to.Home {
		to.URI = access.Home
	}
	stateHash, browserHash := sha256.Sum256([]byte(state)), []byte{}
	if browser != "" {
		hash := sha256.Sum256([]byte(browser))
		browserHash = hash[:]
	}
	_, err = tx.Exec(ctx, `
		insert into sign_in_flows (tenant_id, id, provider_id, state_hash, browser_hash, sealed, redirect_uri, code_challenge, state, created_at, expires_at, purpose, user_id, org_unit_id)
		values ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9, ''), $10, $11, $12, $13, $14)`,
		tx.Tenant(), id, f.row.ID, stateHash[:], browserHash, sealed, to.URI, to.Challenge, to.State, tx.Now(), tx.Now().Add(FlowLifetime), f.purpose, orNull(f.user), orNull(f.orgUnit))
	if err != nil {
		return fmt.Errorf("store a sign-in: %w", err)
	}
	return nil
}

func orNull(id ids.ID) *ids.ID {
	if id == ids.None {
		return nil
	}
	return &id
}

func flowName(id ids.ID) string { return "sign-in/" + id.String() }

// Returned has the parameters with which a provider sends a browser back.
type Returned struct{ State, Code, Issuer, Error string }

// flow is a sign-in that came back.
type flow struct {
	row      models.IdentityProvider
	redirect access.Redirect
	purpose  purpose
	// user is who began it, if they were signed in before, in the org unit.
	user, orgUnit ids.ID
	secrets
}

// Return ends a sign-in that came back from the provider, in the browser that began it, and says where to go with its code.
// Errors: sign_in_expired, sign_in_refused, step_up_insufficient, account_link_needed, account_taken, provider_unavailable, rate_limited.
func (d *Desk) Return(ctx context.Context, input Returned, browser, remote string) (string, error) {
	f, err := d.resume(ctx, input.State, browser)
	if errors.Is(err, errs.SignInExpired) {
		counted := d.authority.CountAddress(ctx, remote)
		if counted != nil {
			return "", counted
		}
	}
	if err != nil {
		return "", err
	}
	if input.Error != "" {
		return "", denied(f, input.Error)
	}
	c, err := d.configurationOf(ctx, f.row.Issuer)
	if err != nil {
		return "", err
	}
	// RFC 9207: an answer of another provider would have the code sent to the wrong one.
	if input.Issuer != f.row.Issuer && (input.Issuer != "" || c.NamesIssuer) {
		return "", refused(reasonAnswer, "The answer comes from another identity provider than the one that was asked.")
	}
	who, err := d.identify(ctx, f, c, input.Code)
	if err != nil {
		return "", err
	}
	var to string
	err = d.store.Write(ctx, db.System(f.row.TenantID, "sign_in"), func(tx *db.Tx) error {
		if f.purpose == toSignIn {
			to, err = d.enter(ctx, tx, f, who)
		} else {
			to, err = d.finish(ctx, tx, f, who)
		}
		return err
	})
	return to, err
}

// resume takes up a flow, once, in the browser that began it. Another browser does not use it up.
func (d *Desk) resume(ctx context.Context, state, browser string) (flow, error) {
	tenant := access.TenantOf(state)
	if tenant == ids.None || browser == "" {
		return flow{}, expired()
	}
	var f flow
	stateHash, browserHash := sha256.Sum256([]byte(state)), sha256.Sum256([]byte(browser))
	err := d.store.Write(ctx, db.System(tenant, "sign_in"), func(tx *db.Tx) error {
		return d.readFlow(ctx, tx, &f, `
			update sign_in_flows set used_at = $4 where tenant_id = $1 and state_hash = $2 and browser_hash = $3 and used_at is null and expires_at > $4
			returning `+flowColumns, tx.Tenant(), stateHash[:], browserHash[:], tx.Now())
	})
	return f, err
}

const flowColumns = "id, provider_id, sealed, redirect_uri, code_challenge, coalesce(state, ''), purpose, user_id, org_unit_id"

// readFlow reads the flow that a statement found. Errors: sign_in_expired where it found none, or the provider signs in nobody.
func (d *Desk) readFlow(ctx context.Context, tx *db.Tx, f *flow, sql string, args ...any) error {
	var id, provider ids.ID
	var sealed []byte
	var user, orgUnit *ids.ID
	err := tx.QueryRow(ctx, sql, args...).
		Scan(&id, &provider, &sealed, &f.redirect.URI, &f.redirect.Challenge, &f.redirect.State, &f.purpose, &user, &orgUnit)
	if errors.Is(err, pgx.ErrNoRows) {
		return expired()
	}
	if err != nil {
		return fmt.Errorf("take up a sign-in: %w", err)
	}
	f.redirect.Home = f.redirect.URI == access.Home
	put(&f.user, user)
	put(&f.orgUnit, orgUnit)
	f.row, err = active(ctx, tx, "id = ?", provider)
	if errors.Is(err, errs.NotFound) {
		return expired()
	}
	if err != nil {
		return err
	}
	plain, err := d.authority.Unseal(flowName(id), sealed)
	if err != nil {
		return fmt.Errorf("open a sign-in: %w", err)
	}
	return json.Unmarshal(plain, &f.secrets)
}

func expired() error {
	return errs.New(errs.SignInExpired, "This sign-in is over, was used before, or began in another browser. Begin again, in this browser.")
}

// The reasons of a refusal.
const (
	reasonDenied     = "denied"
	reasonAnswer     = "provider_answer"
	reasonUnverified = "email_unverified"
	reasonDomain     = "domain_not_allowed"
)

func refused(reason, message string) error {
	return errs.New(errs.SignInRefused, "%s", message).With("reason", reason)
}

var errorForm = regexp.MustCompile(`^[a-z_]{1,40}$`)

// denied is the error for a provider's refusal in place of a code; callers learn only the provider's name of the error.
func denied(f flow, code string) error {
	if f.purpose == toStepUp && code == "unmet_authentication_requirements" { // OpenID Connect Core Error Code
		return insufficient("acr", "The identity provider could not have you sign in as strongly as it takes.")
	}
	if !errorForm.MatchString(code) {
		code = "error"
	}
	return errs.New(errs.SignInRefused, "The identity provider did not sign you in (%s).", code).With("reason", reasonDenied).With("error", code)
}
