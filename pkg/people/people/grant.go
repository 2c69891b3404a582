package people

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// RoleGrant says that a user holds a role, and since when.
type RoleGrant struct {
	UserID    ids.ID    `json:"userId"`
	Role      RoleRef   `json:"role"`
	GrantedAt time.Time `json:"grantedAt"`
}

// GrantRole gives a user a role. It needs users.manage and every capability of the role.
// Granting twice changes nothing. Errors: not_found, subject_erased, forbidden, user_out_of_reach.
func GrantRole(ctx context.Context, tx *db.Tx, userID, roleID ids.ID) (RoleGrant, error) {
	err := tx.Require(capability.UsersManage)
	if err != nil {
		return RoleGrant{}, err
	}
	err = requireUser(ctx, tx, userID)
	if err != nil {
		return RoleGrant{}, err
	}
	err = RefuseErased(ctx, tx, userID)
	if err != nil {
		return RoleGrant{}, err
	}
	err = RequireReach(ctx, tx, userID)
	if err != nil {
		return RoleGrant{}, err
	}
	// The lock keeps the role from changing until this grant commits: nobody adds a
	// capability to it meanwhile that the caller does not hold.
	role, err := lockRole(ctx, tx, roleID, "share")
	if err != nil {
		return RoleGrant{}, err
	}
	err = requireHeld(tx, role.Capabilities)
	if err != nil {
		return RoleGrant{}, err
	}
	granted, err := addMemberships(ctx, tx, []candidate{{id: userID, roles: []ids.ID{roleID}}})
	if err != nil {
		return RoleGrant{}, err
	}
	grant := RoleGrant{UserID: userID, Role: RoleRef{ID: role.ID, SystemKey: role.SystemKey, Name: role.Name}}
	err = tx.QueryRow(ctx, "select granted_at from user_roles where tenant_id = $1 and user_id = $2 and role_id = $3",
		tx.Tenant(), userID, roleID).Scan(&grant.GrantedAt)
	if err != nil {
		return RoleGrant{}, fmt.Errorf("read grant: %w", err)
	}
	grant.GrantedAt = grant.GrantedAt.UTC()
	return grant, ledger.Append(ctx, tx, granted...)
}

// RevokeRole takes a role from a user. It needs users.manage and, as GrantRole does, every
// capability of the role: the lesser does not disarm the mightier. Errors: not_found, also
// when the user does not hold the role; forbidden, user_out_of_reach, last_tenant_admin.
func RevokeRole(ctx context.Context, tx *db.Tx, userID, roleID ids.ID) error {
	err := tx.Require(capability.UsersManage)
	if err != nil {
		return err
	}
	// The lock makes two revocations wait for each other: each would otherwise still see
	// the other's Tenant Admin and both would go.
	role, err := lockRole(ctx, tx, roleID, "no key update")
	if err != nil {
		return err
	}
	err = requireHeld(tx, role.Capabilities)
	if err != nil {
		return err
	}
	err = RequireReach(ctx, tx, userID)
	if err != nil {
		return err
	}
	if role.SystemKey == capability.TenantAdmin {
		err = keepAnAdmin(ctx, tx, userID, roleID)
		if err != nil {
			return err
		}
	}
	err = tx.AnnounceAccess(ctx)
	if err != nil {
		return err
	}
	n, err := tx.Exec(ctx, "delete from user_roles where tenant_id = $1 and user_id = $2 and role_id = $3", tx.Tenant(), userID, roleID)
	if err != nil {
		return fmt.Errorf("revoke role: %w", err)
	}
	if n == 0 {
		return errs.New(errs.NotFound, "The user does not hold this role.")
	}
	return ledger.Append(ctx, tx, roleEvent("user.role_revoked", userID, roleID))
}

// keepAnAdmin fails when the user is the last who holds the role and can sign in: active, with an
// address and in an org unit.
func keepAnAdmin(ctx context.Context, tx *db.Tx, userID, roleID ids.ID) error {
	var holds bool
	var others int
	err := tx.QueryRow(ctx, `
		select coalesce(bool_or(g.user_id = $3), false), count(*) filter (where g.user_id <> $3)
		from user_roles g join users u on u.tenant_id = g.tenant_id and u.id = g.user_id
		where g.tenant_id = $1 and g.role_id = $2 and u.status = $4 and u.email is not null
		and exists (select from user_org_units m where m.tenant_id = $1 and m.user_id = g.user_id)`,
		tx.Tenant(), roleID, userID, models.UserActive).Scan(&holds, &others)
	if err != nil {
		return fmt.Errorf("count tenant admins: %w", err)
	}
	if holds && others == 0 {
		return errs.New(errs.LastTenantAdmin, "A tenant keeps at least one active Tenant Admin in an org unit; give somebody else the role first.")
	}
	return nil
}

func requireUser(ctx context.Context, tx *db.Tx, id ids.ID) error {
	var there bool
	err := tx.QueryRow(ctx, "select exists (select from users where tenant_id = $1 and id = $2)", tx.Tenant(), id).Scan(&there)
	if err != nil {
		return fmt.Errorf("find user: %w", err)
	}
	if !there {
		return noSuchUser()
	}
	return nil
}
