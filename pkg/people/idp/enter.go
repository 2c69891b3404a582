package idp

import (
	"context"
	"fmt"
	"slices"
	"strings"

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

// enter finds the user that a provider's word is about, or makes them, and gives a code for them.
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
	p, err := people.ReadEntrant(ctx, tx, "u.id = $2", user)
	if err == nil {
		err = p.MayEnter()
	}
	if err != nil {
		return "", err
	}
	err = people.SyncClaimedGroups(ctx, tx, user, f.row.ID, claimed(f.row, who))
	if err != nil {
		return "", err
	}
	return d.authority.GiveCode(ctx, tx, access.CodeInput{User: user, OrgUnit: *p.OrgUnit, Provider: f.row.ID, Redirect: f.redirect})
}

// meet finds or makes the user of somebody who comes with the account for the first time.
func (d *Desk) meet(ctx context.Context, tx *db.Tx, row models.IdentityProvider, who identity) (ids.ID, error) {
	email, err := who.address(row)
	if err != nil {
		return ids.None, err
	}
	var known people.Entrant
	if email != "" {
		key, _ := people.EmailKey(email)
		known, err = people.ReadEntrant(ctx, tx, "u.email_key = $2", key)
		if err != nil {
			return ids.None, err
		}
	}
	user := known.ID
	switch {
	case user == ids.None && row.Provisioning != ProvisionJIT:
		return ids.None, people.NoAccount()
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
func (d *Desk) link(ctx context.Context, tx *db.Tx, row models.IdentityProvider, known people.Entrant) error {
	has, err := hasAccount(ctx, tx, known.ID, row.ID)
	switch {
	case err != nil:
		return err
	case known.Status == models.UserDeactivated || known.Erased:
		return known.MayEnter()
	case known.More || has:
		return errs.New(errs.AccountLinkNeeded, "%s", "Somebody with your e-mail address is here already, and an address alone does not show that it is you. "+
			"Sign in by a link in a mail and link your account then, or ask an administrator to link it.")
	case known.Status == models.UserInvited && row.Provisioning == ProvisionOff:
		return people.NoAccount()
	case known.Status == models.UserInvited:
		return people.Admit(ctx, tx, known.ID, row.OrgUnitID)
	}
	return known.MayEnter()
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
