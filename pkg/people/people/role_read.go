package people

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// ListRoles lists system roles and the tenant's own by name. It needs roles.manage or
// users.read.
func ListRoles(ctx context.Context, tx *db.Tx, page db.Page) (db.List[Role], error) {
	err := requireRoleReader(tx)
	if err != nil {
		return db.List[Role]{}, err
	}
	page, err = page.Check()
	if err != nil {
		return db.List[Role]{}, err
	}
	var rows []models.Role
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Where("tenant_id = ?", tx.Tenant()), page, &rows, "name", "id")
	if err != nil {
		return db.List[Role]{}, fmt.Errorf("list roles: %w", err)
	}
	roles, err := completeRoles(ctx, tx, rows)
	return db.NewList(roles, page, total), err
}

// FindRole finds a role by the key of a system role, a name or an id, in upper or lower
// case. It needs roles.manage or users.read. Errors: not_found.
func FindRole(ctx context.Context, tx *db.Tx, word string) (Role, error) {
	err := requireRoleReader(tx)
	if err != nil {
		return Role{}, err
	}
	var rows []models.Role
	err = tx.NewSelect().Model(&rows).Where("tenant_id = ?", tx.Tenant()).
		Where("system_key = lower(?0) or lower(name) = lower(?0) or id::text = lower(?0)", word).
		OrderExpr("system_key is not distinct from lower(?) desc", word).Limit(1).Scan(ctx)
	if err != nil {
		return Role{}, fmt.Errorf("find role: %w", err)
	}
	if len(rows) == 0 {
		return Role{}, noSuchRole()
	}
	roles, err := completeRoles(ctx, tx, rows)
	if err != nil {
		return Role{}, err
	}
	return roles[0], nil
}

func noSuchRole() error { return errs.New(errs.NotFound, "There is no such role in your scope.") }

func completeRoles(ctx context.Context, tx *db.Tx, rows []models.Role) ([]Role, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	wanted := mapSlice(rows, func(r models.Role) ids.ID { return r.ID })
	var holds []models.RoleCapability
	query := tx.NewRaw("select * from role_capabilities where tenant_id = ? and role_id in ? order by capability",
		tx.Tenant(), bun.Tuple(wanted))
	err := query.Scan(ctx, &holds)
	if err != nil {
		return nil, fmt.Errorf("read capabilities of roles: %w", err)
	}
	byRole := map[ids.ID][]capability.Capability{}
	for _, h := range holds {
		byRole[h.RoleID] = append(byRole[h.RoleID], capability.Capability(h.Capability))
	}
	return mapSlice(rows, func(r models.Role) Role { return newRole(r, byRole[r.ID]) }), nil
}

// lockRole reads a role and keeps others from changing it; grants of it go on unless the
// lock is "update".
func lockRole(ctx context.Context, tx *db.Tx, id ids.ID, lock string) (Role, error) {
	var rows []models.Role
	err := tx.NewSelect().Model(&rows).Where("tenant_id = ? and id = ?", tx.Tenant(), id).For(lock).Scan(ctx)
	if err != nil {
		return Role{}, fmt.Errorf("lock role: %w", err)
	}
	if len(rows) == 0 {
		return Role{}, noSuchRole()
	}
	roles, err := completeRoles(ctx, tx, rows)
	if err != nil {
		return Role{}, err
	}
	return roles[0], nil
}
