package people

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
	"assess/pkg/kernel/ledger"
)

// CreateRole composes a role of the tenant's own. It needs roles.manage and every
// capability of the role. Errors: forbidden, validation_failed, duplicate_name.
func CreateRole(ctx context.Context, tx *db.Tx, in RoleInput) (Role, error) {
	err := tx.Require(capability.RolesManage)
	if err != nil {
		return Role{}, err
	}
	err = checkRole(in)
	if err != nil {
		return Role{}, err
	}
	err = requireHeld(tx, in.Capabilities)
	if err != nil {
		return Role{}, err
	}
	err = tx.AnnounceAccess(ctx)
	if err != nil {
		return Role{}, err
	}
	row := models.Role{TenantID: tx.Tenant(), ID: ids.New(), Name: strings.TrimSpace(in.Name),
		Description: in.Description, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	_, err = tx.NewInsert().Model(&row).Exec(ctx)
	if err != nil {
		return Role{}, fmt.Errorf("create role: %w", err)
	}
	holds := sortedSet(in.Capabilities)
	err = insertCapabilities(ctx, tx, row.ID, holds)
	if err != nil {
		return Role{}, err
	}
	return newRole(row, holds), appendRoleEvent(ctx, tx, "role.created", row.ID, holds)
}

// UpdateRole changes a role of the tenant's own. It needs roles.manage and every capability that the change
// adds or takes away: somebody who holds less must not disarm people who hold more. Only a caller who reaches
// the whole tenant may change a role that somebody holds: its holders may be anywhere. Doing it again changes
// nothing. Errors: not_found, role_protected, stale_update, forbidden, validation_failed, duplicate_name.
func UpdateRole(ctx context.Context, tx *db.Tx, id ids.ID, patch RolePatch) (Role, error) {
	err := tx.Require(capability.RolesManage)
	if err != nil {
		return Role{}, err
	}
	old, err := lockRole(ctx, tx, id, "no key update")
	if err != nil {
		return Role{}, err
	}
	role, err := patched(tx, old, patch)
	if err != nil {
		return Role{}, err
	}
	if role.same(old) {
		return old, nil
	}
	err = requireReachOfHolders(ctx, tx, id)
	if err != nil {
		return Role{}, err
	}
	err = tx.AnnounceAccess(ctx)
	if err != nil {
		return Role{}, err
	}
	_, err = tx.NewUpdate().Model((*models.Role)(nil)).
		Set("name = ?", role.Name).Set("description = ?", role.Description).Set("updated_at = ?", role.UpdatedAt).
		Where("tenant_id = ? and id = ?", tx.Tenant(), id).Exec(ctx)
	if err != nil {
		return Role{}, fmt.Errorf("update role: %w", err)
	}
	err = replaceCapabilities(ctx, tx, id, old.Capabilities, role.Capabilities)
	if err != nil {
		return Role{}, err
	}
	return role, appendRoleEvent(ctx, tx, "role.updated", id, role.Capabilities)
}

// same says that nothing differs but the time of the change.
func (r Role) same(old Role) bool {
	return r.Name == old.Name && r.Description == old.Description &&
		len(without(r.Capabilities, old.Capabilities)) == 0 && len(without(old.Capabilities, r.Capabilities)) == 0
}

// patched gives the role as the patch wants it, or why it must not become so.
func patched(tx *db.Tx, old Role, patch RolePatch) (Role, error) {
	if old.SystemKey != "" {
		return Role{}, errs.New(errs.RoleProtected, "System roles cannot be changed.")
	}
	err := db.Fresh(patch.UpdatedAt, old.UpdatedAt)
	if err != nil {
		return Role{}, err
	}
	role := old
	role.UpdatedAt = tx.ChangedAt(old.UpdatedAt)
	if patch.Name != nil {
		role.Name = strings.TrimSpace(*patch.Name)
	}
	if patch.Description != nil {
		role.Description = *patch.Description
	}
	if patch.Capabilities != nil {
		role.Capabilities = sortedSet(*patch.Capabilities)
	}
	err = checkRole(RoleInput{Name: role.Name, Description: role.Description, Capabilities: role.Capabilities})
	if err != nil {
		return Role{}, err
	}
	return role, requireHeld(tx, append(without(role.Capabilities, old.Capabilities), without(old.Capabilities, role.Capabilities)...))
}

// DeleteRole removes a role of the tenant's own that nobody holds. It needs roles.manage.
// Errors: not_found, role_protected, role_in_use.
func DeleteRole(ctx context.Context, tx *db.Tx, id ids.ID) error {
	err := tx.Require(capability.RolesManage)
	if err != nil {
		return err
	}
	role, err := lockRole(ctx, tx, id, "update")
	if err != nil {
		return err
	}
	if role.SystemKey != "" {
		return errs.New(errs.RoleProtected, "System roles cannot be deleted.")
	}
	err = tx.AnnounceAccess(ctx)
	if err != nil {
		return err
	}
	// A role that is still given is refused by the foreign key user_roles_role.
	_, err = tx.NewDelete().Model((*models.Role)(nil)).Where("tenant_id = ? and id = ?", tx.Tenant(), id).Exec(ctx)
	if err != nil {
		return fmt.Errorf("delete role: %w", err)
	}
	return ledger.Append(ctx, tx, ledger.Event{Type: "role.deleted", SubjectType: "role", SubjectID: id})
}

func checkRole(in RoleInput) error {
	bad := errs.Line("name", in.Name, maxNameChars, true)
	bad = append(bad, errs.Prose("description", in.Description, maxDescriptionChars, false)...)
	return errs.Invalid(append(bad, checkCapabilities("capabilities", in.Capabilities)...)...)
}

func replaceCapabilities(ctx context.Context, tx *db.Tx, role ids.ID, old, wanted []capability.Capability) error {
	_, err := tx.Exec(ctx, "delete from role_capabilities where tenant_id = $1 and role_id = $2 and capability = any($3)",
		tx.Tenant(), role, without(old, wanted))
	if err != nil {
		return fmt.Errorf("take capabilities from role: %w", err)
	}
	return insertCapabilities(ctx, tx, role, without(wanted, old))
}

func insertCapabilities(ctx context.Context, tx *db.Tx, role ids.ID, holds []capability.Capability) error {
	if len(holds) == 0 {
		return nil
	}
	rows := roleCapabilities(tx, role, holds)
	_, err := tx.NewInsert().Model(&rows).Exec(ctx)
	if err != nil {
		return fmt.Errorf("give capabilities to role: %w", err)
	}
	return nil
}

func appendRoleEvent(ctx context.Context, tx *db.Tx, what string, role ids.ID, holds []capability.Capability) error {
	return ledger.Append(ctx, tx, ledger.Event{Type: what, SubjectType: "role", SubjectID: role,
		Payload: map[string]any{"capabilities": holds}})
}

func sortedSet(cs []capability.Capability) []capability.Capability {
	set := append([]capability.Capability{}, cs...)
	slices.Sort(set)
	return slices.Compact(set)
}

func without[T comparable](all, left []T) []T {
	return slices.DeleteFunc(append([]T{}, all...), func(one T) bool { return slices.Contains(left, one) })
}
