package lti

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

// Returned has the parameters with which a platform sends a browser back. Framed says that it does so in a
// frame of its page.
type Returned struct {
	State, Token, Error string
	Framed              bool
}

// launch has the claims of a platform, and where they lead.
type launch struct {
	platform   models.LTIPlatform
	deployment models.LTIDeployment
	claims
}

// Launch ends a launch that came back from the platform, in the browser that began it, and says where to go: to the application with a code, or
// to DeepLinksPath with the secret of a pick.
// Errors: lti_launch_refused, lti_platform_unavailable, account_link_needed (UnlinkedError, outside a frame), sign_in_refused, rate_limited.
func (d *Desk) Launch(ctx context.Context, input Returned, browser, remote string) (string, error) {
	f, err := d.resume(ctx, input.State, browser)
	if errors.Is(err, errs.LTILaunchRefused) {
		counted := d.authority.CountAddress(ctx, remote)
		if counted != nil {
			return "", counted
		}
	}
	if err != nil {
		return "", err
	}
	if input.Error != "" {
		return "", refused(deniedThere, "The learning platform did not launch the activity. Sign in there again and open it once more.")
	}
	c, err := d.verify(ctx, f, input.Token)
	if err != nil {
		return "", err
	}
	if input.Framed && c.Message != deepLinking {
		return "", refused(inFrame, "An exam opens in a window of its own. Whoever runs the course has the platform open the activity in a new window.")
	}
	deployment, err := d.deploymentOf(ctx, f.row, c.Deployment)
	if err != nil {
		return "", err
	}
	l := launch{f.row, deployment, c}
	var to string
	err = d.store.Write(ctx, scopeOf(f.row.TenantID, *deployment.OrgUnitID), func(tx *db.Tx) error {
		if c.Message == deepLinking {
			to, err = l.beginPick(ctx, tx, browser)
		} else {
			to, err = d.enter(ctx, tx, l)
		}
		return err
	})
	if errors.Is(err, errs.AccountLinkNeeded) && !input.Framed { // a frame has no place to sign in
		err = d.pend(ctx, l)
	}
	return to, err
}

// enter finds or makes who comes and what the activity hands out, and gives a code that leads there.
func (d *Desk) enter(ctx context.Context, tx *db.Tx, l launch) (string, error) {
	if d.authority.AppURL() == "" {
		return "", refused(noApp, "No application is set here in which exams are taken (auth.app_url).")
	}
	user, err := l.person(ctx, tx)
	if err != nil {
		return "", err
	}
	link, group, err := l.link(ctx, tx)
	if err == nil && learns(l.Roles) {
		err = people.EnterGroup(ctx, tx, l.platform.ID, group, user)
	}
	if err == nil {
		err = l.noteRoster(ctx, tx)
	}
	if err != nil {
		return "", err
	}
	return d.authority.GiveCode(ctx, tx, access.CodeInput{User: user, OrgUnit: *l.deployment.OrgUnitID, Provider: l.platform.ID, Assignment: link.AssignmentID,
		Redirect: access.Redirect{URI: d.authority.AppURL()}})
}

// person finds the user of the account, or makes one, and makes sure that they may enter the org unit.
func (l launch) person(ctx context.Context, tx *db.Tx) (ids.ID, error) {
	err := l.alone(ctx, tx)
	if err != nil {
		return ids.None, err
	}
	user, err := l.seen(ctx, tx)
	if err == nil && user == ids.None {
		user, err = l.meet(ctx, tx, new(tx.Now().UTC()))
	}
	if err != nil {
		return ids.None, err
	}
	e, err := people.ReadEntrant(ctx, tx, "u.id = $2", user)
	if err == nil {
		err = e.MayEnter()
	}
	if err != nil {
		return ids.None, err
	}
	return user, l.settleIn(ctx, tx, e)
}

// alone waits for others that deal with the same person: two first launches at once would make two users.
func (l launch) alone(ctx context.Context, tx *db.Tx) error {
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended('account ' || $1::text || ' ' || $2::text, 0))", l.platform.ID.String(), l.Subject)
	if err != nil {
		return fmt.Errorf("wait for another launch: %w", err)
	}
	return nil
}

// settleIn puts a person into the org unit of the deployment; not somebody who may do more than a candidate, since roles
// hold in every org unit that a person is in.
func (l launch) settleIn(ctx context.Context, tx *db.Tx, e people.Entrant) error {
	var belongs bool
	err := tx.QueryRow(ctx, "select exists (select from user_org_units where tenant_id = $1 and user_id = $2 and org_unit_id = $3)",
		tx.Tenant(), e.ID, l.deployment.OrgUnitID).Scan(&belongs)
	switch {
	case err != nil:
		return fmt.Errorf("look where a person belongs: %w", err)
	case belongs:
		return nil
	case e.More:
		return refused(otherOrgUnit, "You belong to another part of the organisation than this course. An administrator here adds you to it.")
	}
	return people.Admit(ctx, tx, e.ID, *l.deployment.OrgUnitID)
}

// seen notes that somebody came with an account, and gives whose it is; ids.None: nobody's.
func (l launch) seen(ctx context.Context, tx *db.Tx) (ids.ID, error) {
	var user ids.ID
	err := tx.QueryRow(ctx, `
		update user_accounts set last_seen_at = $5, test = $6 where tenant_id = $1 and source = $2 and source_id = $3 and subject = $4 returning user_id`,
		tx.Tenant(), people.FromLTI, l.platform.ID, l.Subject, tx.Now(), isTest(l.Roles)).Scan(&user)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return ids.None, fmt.Errorf("find whose account it is: %w", err)
	}
	return user, nil
}

// meet makes the user of somebody who comes with the account for the first time, or whom the platform reports: then nobody has seen them.
func (l launch) meet(ctx context.Context, tx *db.Tx, seen *time.Time) (ids.ID, error) {
	if l.platform.Identity == IdentityLink {
		return ids.None, errs.New(errs.AccountLinkNeeded, "Nobody has said yet who you are here. Show this page to an administrator, who links your account: the learning platform calls you what is below.").
			With("subject", l.Subject)
	}
	input := people.UserInput{Name: l.name(), OrgUnits: []string{l.deployment.OrgUnitID.String()}, Roles: append([]string{capability.Candidate}, l.given()...)}
	if input.Name == "" {
		input.Name = "Somebody of " + line(l.platform.Name, 150)
	}
	user, err := people.CreateUser(ctx, tx, input)
	if err != nil {
		return ids.None, err
	}
	_, err = people.AddAccount(ctx, tx, people.Account{UserID: user.ID, Source: people.FromLTI, SourceID: l.platform.ID, Subject: l.Subject, LastSeenAt: seen, Test: isTest(l.Roles)})
	return user.ID, err
}

// given are the roles that the platform's settings give to somebody with these roles in the course.
func (l launch) given() []string {
	held := append(courseRoles(l.Roles), l.Roles...)
	var all []string
	for _, r := range l.platform.Roles {
		if slices.Contains(held, r.Role) && !slices.Contains(all, r.RoleID.String()) {
			all = append(all, r.RoleID.String())
		}
	}
	return all
}
