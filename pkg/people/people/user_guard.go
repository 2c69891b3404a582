package people

import (
	"context"
	"slices"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

// lockAdmins holds the role Tenant Admin as RevokeRole does, so that all who could take the
// last admin away wait for each other, and grants of the role for them.
func lockAdmins(ctx context.Context, tx *db.Tx) error {
	id, err := systemRoleID(ctx, tx, capability.TenantAdmin)
	if err != nil {
		return err
	}
	_, err = lockRole(ctx, tx, id, "no key update")
	return err
}

// allowed refuses what would give the caller more than they have, or the tenant nobody.
func (n userChange) allowed(ctx context.Context, tx *db.Tx, old User) error {
	err := n.withinReach(ctx, tx, old)
	if err != nil {
		return err
	}
	err = n.keepsHeld(ctx, tx, old)
	if err != nil {
		return err
	}
	lockedOut := n.lockedOut(old)
	if n.user.Email == old.Email && n.user.Status == old.Status && !lockedOut {
		return nil
	}
	err = requireMight(ctx, tx, old)
	if err != nil || !lockedOut {
		return err
	}
	i := slices.IndexFunc(old.Roles, func(r RoleRef) bool { return r.SystemKey == capability.TenantAdmin })
	if i < 0 {
		return nil
	}
	return keepAnAdmin(ctx, tx, old.ID, old.Roles[i].ID)
}

// lockedOut says whether the change takes from a user what signing in needs: being active,
// an address, and an org unit.
func (n userChange) lockedOut(old User) bool {
	return n.deactivates(old) || n.user.Email == "" && old.Email != "" || len(n.left) > 0 && len(n.left) == len(old.OrgUnits) && len(n.joins) == 0
}

func (n userChange) deactivates(old User) bool {
	return n.user.Status == models.UserDeactivated && old.Status != models.UserDeactivated
}

// requireMight keeps people from taking over or locking out somebody who may do more than
// they. Everybody may change their own record.
func requireMight(ctx context.Context, tx *db.Tx, user User) error {
	if tx.Actor().Kind == db.UserActor && tx.Actor().ID == user.ID {
		return nil
	}
	rows := mapSlice(user.Roles, func(r RoleRef) models.Role { return models.Role{ID: r.ID} })
	roles, err := completeRoles(ctx, tx, rows)
	if err != nil {
		return err
	}
	for _, r := range roles {
		missing, lacks := firstMissing(tx, r.Capabilities)
		if lacks {
			return errs.New(errs.Forbidden, "The user holds %s, which you do not hold.", missing).With("capability", string(missing))
		}
	}
	return nil
}
