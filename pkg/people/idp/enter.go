package idp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

// google is the provider whose hd says which organisation somebody belongs to.
const google = "https://accounts.google.com"

// enter finds whom a provider's word is about, or makes them, and gives a code for them.
func (d *Desk) enter(ctx context.Context, tx *db.Tx, f flow, who identity) (string, error) {
	// Two first sign-ins of one person at once would make two users.
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended('account ' || $1::text || ' ' || $2::text, 0))", f.row.ID.String(), who.subject)
	if err != nil {
		return "", fmt.Errorf("wait for another sign-in: %w", err)
	}
	user, err := seen(ctx, tx, f.row, who)
	if err == nil && user == ids.None {
		user, err = d.meet(ctx, tx, f.row, who)
	}
	if err != nil {
		return "", err
	}
	p, err := readPerson(ctx, tx, "u.id = $2", user)
	if err == nil {
		err = p.mayEnter()
	}
	if err != nil {
		return "", err
	}
	err = people.SyncClaimedGroups(ctx, tx, user, f.row.ID, claimed(f.row, who))
	if err != nil {
		return "", err
	}
	return d.authority.GiveCode(ctx, tx, access.CodeInput{User: user, OrgUnit: *p.orgUnit, Provider: f.row.ID, Redirect: f.redirect})
}

// person is a user as a sign-in looks at them.
type person struct {
	id           ids.ID
	status       string
	erased, more bool
	orgUnit      *ids.ID
}

// readPerson reads a user by a condition on u with one parameter; the zero person where there is none. more says that they
// may do more than a candidate.
func readPerson(ctx context.Context, tx *db.Tx, condition string, value any) (person, error) {
	var p person
	err := tx.QueryRow(ctx, `
		select u.id, u.status, `+people.IsErased+`,
			exists (select from user_roles g join roles r on r.tenant_id = g.tenant_id and r.id = g.role_id
				where g.tenant_id = $1 and g.user_id = u.id and r.system_key is distinct from 'candidate'),
			(select o.id from user_org_units m join org_units o on o.tenant_id = m.tenant_id and o.id = m.org_unit_id
				where m.tenant_id = $1 and m.user_id = u.id order by o.created_at, o.id limit 1)
		from users u where u.tenant_id = $1 and `+condition, tx.Tenant(), value).Scan(&p.id, &p.status, &p.erased, &p.more, &p.orgUnit)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return person{}, fmt.Errorf("find whom a sign-in is of: %w", err)
	}
	return p, nil
}

// mayEnter refuses people who are not to sign in; a sign-in revives nobody.
func (p person) mayEnter() error {
	switch {
	case p.status == models.UserDeactivated:
		return refused(reasonDeactivated, "Your user is deactivated. Ask those who run your account.")
	case p.id == ids.None || p.erased || p.orgUnit == nil || p.status != models.UserActive:
		return noAccount()
	}
	return nil
}

func noAccount() error {
	return refused(reasonNoAccount, "The identity provider knows you, but nobody has let you in here. Ask those who run your account.")
}

// meet finds or makes the user of somebody who comes with the account for the first time.
func (d *Desk) meet(ctx context.Context, tx *db.Tx, row models.IdentityProvider, who identity) (ids.ID, error) {
	email, err := who.address(row)
	if err != nil {
		return ids.None, err
	}
	var known person
	if email != "" {
		key, _ := people.EmailKey(email)
		known, err = readPerson(ctx, tx, "u.email_key = $2", key)
		if err != nil {
			return ids.None, err
		}
	}
	user := known.id
	switch {
	case user == ids.None && row.Provisioning != ProvisionJIT:
		return ids.None, noAccount()
	case user == ids.None:
		user, err = join(ctx, tx, row, who, email)
	default:
		err = d.link(ctx, tx, row, known)
	}
	if err != nil {
		return ids.None, err
	}
	return user, addAccount(ctx, tx, row, user, who)
}

// address is the one for which the provider vouches; empty where the tenant believes none, or there is none.
func (who identity) address(row models.IdentityProvider) (string, error) {
	email := who.text(row.Claims.Email)
	if row.EmailTrust != TrustVerified {
		return "", nil
	}
	if row.Issuer == google && !slices.Contains(row.Domains, strings.ToLower(who.text("hd"))) {
		return "", refused(reasonDomain, "Your account belongs to no organisation that is let in here.")
	}
	if email == "" {
		return "", nil
	}
	key, ok := people.EmailKey(email)
	if !ok || !who.verified() {
		return "", refused(reasonUnverified, "The identity provider does not say that your e-mail address is yours.")
	}
	if !slices.Contains(row.Domains, key[strings.LastIndexByte(key, '@')+1:]) {
		return "", refused(reasonDomain, "Your e-mail address belongs to no domain that is let in here.")
	}
	return email, nil
}

// join makes a user of somebody who is new.
func join(ctx context.Context, tx *db.Tx, row models.IdentityProvider, who identity, email string) (ids.ID, error) {
	input := people.UserInput{Email: email, Name: who.name(row), OrgUnits: []string{row.OrgUnitID.String()}, Roles: []string{capability.Candidate}}
	if input.Email == "" && input.Name == "" {
		input.Name = "Somebody of " + row.Name
	}
	if len(row.RoleIDs) > 0 {
		input.Roles = nil
		for _, role := range row.RoleIDs {
			input.Roles = append(input.Roles, role.String())
		}
	}
	user, err := people.CreateUser(ctx, tx, input)
	return user.ID, err
}

// link lets an account mean a user who was here before, found by an address. Who may do more than a candidate is not taken
// over so; nor is who has another account of the provider: addresses change hands.
func (d *Desk) link(ctx context.Context, tx *db.Tx, row models.IdentityProvider, known person) error {
	has, err := hasAccount(ctx, tx, known.id, row.ID)
	switch {
	case err != nil:
		return err
	case known.status == models.UserDeactivated || known.erased:
		return known.mayEnter()
	case known.more || has:
		return errs.New(errs.AccountLinkNeeded, "%s", "Somebody with your e-mail address is here already, and an address alone does not show that it is you. "+
			"Sign in by a link in a mail and link your account then, or ask an administrator to link it.")
	case known.status == models.UserInvited && row.Provisioning == ProvisionOff:
		return noAccount()
	case known.status == models.UserInvited:
		return people.Admit(ctx, tx, known.id, row.OrgUnitID)
	}
	return known.mayEnter()
}

// claimed are the groups that the provider's claims put somebody into.
func claimed(row models.IdentityProvider, who identity) []ids.ID {
	all := []ids.ID{}
	values := who.groups(row)
	for _, g := range row.Groups {
		if slices.Contains(values, g.Value) {
			all = append(all, g.GroupID)
		}
	}
	return all
}
