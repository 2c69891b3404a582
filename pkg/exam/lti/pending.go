package lti

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

// Somebody who comes from a platform and is not linked signs in here once, and links the account themselves. Only the browser that was launched can
// do so: if the link worked elsewhere, somebody could send it around and then sign in as the person who opened it.

// PendingLifetime is how long somebody may take to sign in and link their account: a mail has to arrive meanwhile.
const PendingLifetime = 30 * time.Minute

// UnlinkedError is account_link_needed for somebody who can link the account themselves.
type UnlinkedError struct {
	error
	// Secret lets the browser that was launched link the account, once, and Tenant is the slug of the tenant where its person signs in.
	Secret, Tenant string
}

// Unwrap gives the error with its code.
func (u *UnlinkedError) Unwrap() error { return u.error }

// stranger is the part of a launch that is needed to link its person.
type stranger struct {
	Subject, Name string
	Test          bool
}

// pend keeps the account of a launch for the browser that came with it.
func (d *Desk) pend(ctx context.Context, l launch) error {
	plain, err := json.Marshal(stranger{l.Subject, l.name(), isTest(l.Roles)})
	if err != nil {
		return fmt.Errorf("encode who came: %w", err)
	}
	u := &UnlinkedError{Secret: access.NewToken(l.platform.TenantID)}
	u.error = errs.New(errs.AccountLinkNeeded, "Nobody has said yet who you are here. Sign in here once and link your account. Or show this page to an administrator, who links it: "+
		"the learning platform calls you what is below.").With("subject", l.Subject)
	err = d.store.Write(ctx, db.System(l.platform.TenantID, "lti"), func(tx *db.Tx) error {
		id := ids.New()
		sealed, err := access.Seal(tx.KeySecret(), sealedAs(tx.Tenant(), id), plain)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "insert into lti_pending_accounts (tenant_id, id, deployment_id, secret_hash, sealed, created_at, expires_at) values ($1, $2, $3, $4, $5, $6, $7)",
			tx.Tenant(), id, l.deployment.ID, hashOf(u.Secret), sealed, tx.Now(), tx.Now().Add(PendingLifetime))
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, "select slug from tenants where id = $1", tx.Tenant()).Scan(&u.Tenant)
	})
	if err != nil {
		return fmt.Errorf("keep an account that nobody has linked: %w", err)
	}
	return u
}

// Pending is an account that waits for its person.
type Pending struct {
	// Platform is the name of the platform, and Name what the platform calls the person.
	Platform, Name string
}

// PendingOf gives the account that a browser with the secret may link to the caller. Errors: link_invalid.
func (d *Desk) PendingOf(ctx context.Context, scope db.Scope, secret string) (Pending, error) {
	var p newcomer
	err := d.store.Read(ctx, scope, func(tx *db.Tx) error {
		var err error
		p, err = findPending(ctx, tx, secret, "")
		if err == nil && p.user != nil {
			err = pendingGone()
		}
		return err
	})
	name := p.Name
	if name == "" {
		name = p.Subject
	}
	return Pending{p.platform.Name, name}, err
}

// Link links the account that a browser with the secret came with to the caller, who shows with a step-up proof that it is them. The same person's second click
// changes nothing. Errors: link_invalid, account_taken, step_up_required, subject_erased.
func (d *Desk) Link(ctx context.Context, scope db.Scope, secret string) error {
	return d.store.Write(ctx, scope, func(tx *db.Tx) error {
		p, err := findPending(ctx, tx, secret, " for no key update of a")
		if err != nil {
			return err
		}
		me := tx.Actor().ID
		if p.user != nil {
			if *p.user != me {
				return pendingGone()
			}
			return nil
		}
		err = p.linkTo(ctx, tx, me)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "update lti_pending_accounts set used_at = $3, user_id = $4, sealed = '' where tenant_id = $1 and id = $2", tx.Tenant(), p.id, tx.Now(), me)
		if err != nil {
			return fmt.Errorf("note that an account is linked: %w", err)
		}
		return nil
	})
}

func (p newcomer) linkTo(ctx context.Context, tx *db.Tx, me ids.ID) error {
	err := launch{platform: p.platform, claims: claims{Subject: p.Subject}}.alone(ctx, tx)
	if err == nil {
		err = people.RefuseErased(ctx, tx, me)
	}
	if err == nil {
		_, err = tx.ConsumeProof(ctx, []string{access.ByMagicLink, access.ByOperator, access.ByOIDC})
	}
	if err != nil {
		return err
	}
	var owner ids.ID
	err = tx.QueryRow(ctx, "select user_id from user_accounts where tenant_id = $1 and source = $2 and source_id = $3 and subject = $4",
		tx.Tenant(), people.FromLTI, p.platform.ID, p.Subject).Scan(&owner)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		_, err = people.AddAccount(ctx, tx, people.Account{UserID: me, Source: people.FromLTI, SourceID: p.platform.ID, Subject: p.Subject, Test: p.Test})
		return err
	case err != nil:
		return fmt.Errorf("find whose account it is: %w", err)
	case owner != me: // an administrator was faster
		return errs.New(errs.AccountTaken, "This account at the learning platform belongs to somebody else here. Ask an administrator.")
	}
	return nil
}

// newcomer is an account that waits, as it is stored.
type newcomer struct {
	stranger
	id       ids.ID
	platform models.LTIPlatform
	// user is who has linked it; nil: nobody yet.
	user *ids.ID
}

const pendingSQL = `
select a.id, a.sealed, a.user_id, p.id, p.name
from lti_pending_accounts a join lti_deployments d on d.tenant_id = a.tenant_id and d.id = a.deployment_id join lti_platforms p on p.tenant_id = d.tenant_id and p.id = d.platform_id
where a.tenant_id = $1 and d.tenant_id = $1 and p.tenant_id = $1 and a.secret_hash = $2 and a.expires_at > $3
	and d.status = '` + models.DeploymentAllowed + `' and p.status = '` + models.ProviderActive + `'`

// findPending finds the account that a secret belongs to, of the caller's tenant, from a platform and a deployment that may still launch.
func findPending(ctx context.Context, tx *db.Tx, secret, lock string) (newcomer, error) {
	var p newcomer
	var sealed []byte
	err := tx.QueryRow(ctx, pendingSQL+lock, tx.Tenant(), hashOf(secret), tx.Now()).Scan(&p.id, &sealed, &p.user, &p.platform.ID, &p.platform.Name)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, pendingGone()
	}
	if err != nil {
		return p, fmt.Errorf("find an account that nobody has linked: %w", err)
	}
	if p.user != nil {
		return p, nil
	}
	plain, err := access.Unseal(tx.KeySecret(), sealedAs(tx.Tenant(), p.id), sealed)
	if err == nil {
		err = json.Unmarshal(plain, &p.stranger)
	}
	if err != nil {
		return p, fmt.Errorf("read who came: %w", err)
	}
	return p, nil
}

func pendingGone() error {
	return errs.New(errs.LinkInvalid, "There is nothing to link any more. Go back to the course and open the activity again.")
}
