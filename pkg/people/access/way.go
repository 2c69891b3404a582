package access

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Ways of signing in other than a link end as a link does: in a code that the application trades for a token. This
// file has everything that they share with links.

// CheckRedirect refuses addresses that nobody allowed, and a sign-in that leads nowhere.
func (a *Authority) CheckRedirect(r Redirect) error {
	if !r.Home && r.URI == "" {
		return errs.Invalid(errs.Field{Path: "redirectUri", Code: "required", Message: "say where the sign-in leads"})
	}
	return r.check(a.options)
}

// loopback is the address of a program on the user's own machine, at any port (RFC 8252, section 7.3).
var loopback = regexp.MustCompile(`^http://(127\.0\.0\.1|\[::1\]):[1-9][0-9]{1,4}/$`)

// CheckOwnRedirect is CheckRedirect for somebody who is signed in: it may also lead to a program on their machine. For nobody
// else: a page could send people to sign in, and nothing would tell them that a program waits for it.
func (a *Authority) CheckOwnRedirect(r Redirect) error {
	if loopback.MatchString(r.URI) && r.Challenge != "" {
		return nil
	}
	return a.CheckRedirect(r)
}

// Typed is where a code leads that somebody types into a terminal.
const Typed = "typed"

// TerminalInput says what a terminal that somebody lets in has requested: the org unit by its slug (empty: the org unit of
// their sign-in), whether it also needs a step-up proof, and where its program waits, or Typed.
type TerminalInput struct {
	OrgUnit string
	StepUp  bool
	Redirect
}

// Check refuses input that no terminal sends.
func (i TerminalInput) Check() error {
	if i.URI != Typed && !loopback.MatchString(i.URI) || !challengeForm.MatchString(i.Challenge) || len(i.State) > 200 || len(i.OrgUnit) > 63 {
		return errs.Invalid(errs.Field{Path: "redirectUri", Code: "invalid", Message: "this is no address that assessctl login shows"})
	}
	return nil
}

var challengeForm = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// LetIn gives a code for somebody who is signed in and lets a terminal act as them, and says where to go with it. A terminal that
// needs a step-up proof gets one for the proof of the scope, which is spent. Errors: validation_failed for an org unit that is not
// theirs, step_up_required.
func (a *Authority) LetIn(ctx context.Context, scope db.Scope, input TerminalInput) (string, error) {
	err := input.Check()
	if err != nil {
		return "", err
	}
	var to string
	err = a.store.Write(ctx, scope, func(tx *db.Tx) error {
		org := scope.OrgUnit
		if input.OrgUnit != "" {
			err := tx.QueryRow(ctx, `
				select o.id from org_units o join user_org_units m on m.tenant_id = o.tenant_id and m.org_unit_id = o.id
				where o.tenant_id = $1 and m.tenant_id = $1 and m.user_id = $2 and o.slug = $3`, tx.Tenant(), scope.Actor.ID, input.OrgUnit).Scan(&org)
			if errors.Is(err, pgx.ErrNoRows) {
				return errs.Invalid(errs.Field{Path: "orgUnit", Code: "unknown_org_unit", Message: "you belong to no org unit " + strconv.Quote(input.OrgUnit)})
			}
			if err != nil {
				return fmt.Errorf("find the org unit of a terminal: %w", err)
			}
		}
		proof := ""
		if input.StepUp {
			var err error
			proof, err = tx.ConsumeProof(ctx, []string{ByMagicLink, ByOIDC})
			if err != nil {
				return err
			}
		}
		var err error
		to, err = a.GiveCode(ctx, tx, CodeInput{User: scope.Actor.ID, OrgUnit: org, Proof: proof, Redirect: input.Redirect})
		return err
	})
	return to, err
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

// CodeInput says who signs in with a code, by which identity provider if any, and where it leads.
type CodeInput struct {
	User, OrgUnit, Provider ids.ID
	// Proof is the method of the step-up proof that trading the code gives; empty: it gives none.
	Proof string
	// Assignment is what the application is led to, if anything; it lets nobody in. If no application requested the code, it has no challenge.
	Assignment ids.ID
	Redirect
}

// ScopeOf gives the scope of a person that the caller has identified: what they may do now in one of their org units, and
// nowhere else. Errors: sign_in_refused where they are not active there.
func ScopeOf(ctx context.Context, tx *db.Tx, user, orgUnit ids.ID) (db.Scope, error) {
	g, err := loadGrants(ctx, tx, user)
	if err != nil {
		return db.Scope{}, err
	}
	if !g.active || !g.belongs(orgUnit) {
		return db.Scope{}, errs.New(errs.SignInRefused, "You are not active in this org unit, or not any more.").With("reason", "deactivated")
	}
	var all []capability.Capability
	err = tx.QueryRow(ctx, "select array(select distinct capability from role_capabilities where tenant_id = $1 and role_id = any($2))", tx.Tenant(), g.roles).Scan(&all)
	if err != nil {
		return db.Scope{}, fmt.Errorf("read what somebody may do: %w", err)
	}
	return db.Scope{Tenant: tx.Tenant(), OrgUnit: orgUnit, Actor: db.Actor{Kind: db.UserActor, ID: user}, Capabilities: capability.NewSet(all...)}, nil
}

// GiveCode makes a code for somebody that the service has identified already, and says where to go with it.
func (a *Authority) GiveCode(ctx context.Context, tx *db.Tx, input CodeInput) (string, error) {
	if input.Home {
		input.URI = Home
	}
	if input.URI != Home && input.URI != Typed && !loopback.MatchString(input.URI) && !leadsTo(a.options, input.URI) {
		return "", errs.New(errs.LinkInvalid, "The address that this sign-in leads to is no longer allowed.")
	}
	code := newLinkToken(tx.Tenant())
	hash := sha256.Sum256([]byte(code))
	until := tx.Now().Add(CodeLifetime)
	var provider *ids.ID
	if input.Provider != ids.None {
		provider = &input.Provider
	}
	_, err := tx.Exec(ctx, `
		insert into magic_links (tenant_id, id, user_id, org_unit_id, created_at, expires_at, redirect_uri, code_challenge, state, code_hash, code_expires_at, provider_id, proof)
		values ($1, $2, $3, $4, $5, $6, $7, nullif($8, ''), nullif($9, ''), $10, $6, $11, $12)`,
		tx.Tenant(), ids.New(), input.User, input.OrgUnit, tx.Now(), until, input.URI, input.Challenge, input.State, hash[:], provider, cmp.Or(input.Proof, noProof))
	if err != nil {
		return "", fmt.Errorf("store the code of a sign-in: %w", err)
	}
	with := url.Values{"code": {code}}
	if input.State != "" {
		with.Set("state", input.State)
	}
	if input.Assignment != ids.None {
		with.Set("assignment", input.Assignment.String())
	}
	if loopback.MatchString(input.URI) && !leadsTo(a.options, input.URI) {
		return input.URI + "?" + with.Encode(), nil // no page reads it there, but the program itself
	}
	return input.URI + "#" + with.Encode(), nil
}
