package people

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Retire keeps a person from signing in: their tokens end, and they leave all org units, groups and roles.
// The record stays. Doing it again only ends their tokens anew. The caller has checked the capability and
// has the whole tenant in scope. Errors: not_found, last_tenant_admin.
func Retire(ctx context.Context, tx *db.Tx, id ids.ID) error {
	status := models.UserDeactivated
	user, err := UserPatch{Status: &status}.open(ctx, tx, id)
	if err != nil {
		return err
	}
	err = user.spared(ctx, tx)
	if err != nil {
		return err
	}
	err = tx.AnnounceAccess(ctx)
	if err != nil {
		return err
	}
	events, err := leaveOrgUnits(ctx, tx, id, mapSlice(user.OrgUnits, func(o OrgUnitRef) ids.ID { return o.ID }))
	if err != nil {
		return err
	}
	revoked, err := revokeAll(ctx, tx, id)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		update users set status = $3, updated_at = $4, token_generation = token_generation + 1 where tenant_id = $1 and id = $2`,
		tx.Tenant(), id, status, tx.ChangedAt(user.UpdatedAt))
	if err != nil {
		return fmt.Errorf("retire user: %w", err)
	}
	events = append(events, revoked...)
	if user.Status != status {
		e := userEvent("user.updated", id)
		e.Payload = map[string]any{"status": status}
		events = append(events, e)
	}
	return ledger.Append(ctx, tx, events...)
}

// MayRetire refuses the last Tenant Admin, before anything is done. Errors: not_found, last_tenant_admin.
func MayRetire(ctx context.Context, tx *db.Tx, id ids.ID) error {
	user, err := findUser(ctx, tx, "id = ?", id)
	if err != nil {
		return err
	}
	return user.spared(ctx, tx)
}

// Administers says whether a person manages users, roles or the data of people.
func Administers(ctx context.Context, tx *db.Tx, id ids.ID) (bool, error) {
	var does bool
	err := tx.QueryRow(ctx, `
		select exists (select from user_roles g join role_capabilities c on c.tenant_id = g.tenant_id and c.role_id = g.role_id
			where g.tenant_id = $1 and g.user_id = $2 and c.capability = any($3))`,
		tx.Tenant(), id, []capability.Capability{capability.UsersManage, capability.RolesManage, capability.ComplianceManage}).Scan(&does)
	if err != nil {
		return false, fmt.Errorf("find whom a person manages: %w", err)
	}
	return does, nil
}

func (u User) spared(ctx context.Context, tx *db.Tx) error {
	admin := slices.IndexFunc(u.Roles, func(r RoleRef) bool { return r.SystemKey == capability.TenantAdmin })
	if admin < 0 {
		return nil
	}
	return keepAnAdmin(ctx, tx, u.ID, u.Roles[admin].ID)
}

// Record gives the record of a person for a job about their data. The caller has checked the capability.
// Errors: not_found.
func Record(ctx context.Context, tx *db.Tx, id ids.ID) (User, error) {
	return findUser(ctx, tx, "id = ?", id)
}

// FormerAddresses are earlier addresses of a person that are still to be told of the change.
func FormerAddresses(ctx context.Context, tx *db.Tx, id ids.ID) ([]string, error) {
	rows, err := tx.Query(ctx, "select email from former_addresses where tenant_id = $1 and user_id = $2 order by changed_at", tx.Tenant(), id)
	if err != nil {
		return nil, fmt.Errorf("find former addresses: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find former addresses: %w", err)
	}
	return all, nil
}

func revokeAll(ctx context.Context, tx *db.Tx, user ids.ID) ([]ledger.Event, error) {
	rows, err := tx.Query(ctx, "delete from user_roles where tenant_id = $1 and user_id = $2 returning role_id", tx.Tenant(), user)
	if err != nil {
		return nil, fmt.Errorf("revoke roles: %w", err)
	}
	roles, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("revoke roles: %w", err)
	}
	return mapSlice(roles, func(role ids.ID) ledger.Event { return roleEvent("user.role_revoked", user, role) }), nil
}
