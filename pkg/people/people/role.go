package people

import (
	"context"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// RoleInput describes a new role.
type RoleInput struct {
	Name         string                  `json:"name" minLength:"1" maxLength:"200"`
	Description  string                  `json:"description,omitempty" maxLength:"2000"`
	Capabilities []capability.Capability `json:"capabilities" nullable:"false" maxItems:"100" maxLength:"100" doc:"Only those that the caller holds; never billing.manage"`
}

// RolePatch changes what it names and leaves the rest.
type RolePatch struct {
	Name         *string                  `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Description  *string                  `json:"description,omitempty" maxLength:"2000"`
	Capabilities *[]capability.Capability `json:"capabilities,omitempty" maxItems:"100" maxLength:"100" doc:"The whole new set; what is added must be held by the caller"`
	UpdatedAt    *time.Time               `json:"updatedAt,omitempty" doc:"The updatedAt that was read; stale_update when the role has changed since"`
}

// Role is a named set of capabilities.
type Role struct {
	ID ids.ID `json:"id"`
	// SystemKey is empty for a tenant's own roles.
	SystemKey    string                  `json:"systemKey,omitempty"`
	Name         string                  `json:"name"`
	Description  string                  `json:"description"`
	Capabilities []capability.Capability `json:"capabilities" nullable:"false"`
	CreatedAt    time.Time               `json:"createdAt"`
	UpdatedAt    time.Time               `json:"updatedAt"`
}

// ListCapabilities lists everything that a role can hold, with its meaning. It needs
// roles.manage or users.read.
func ListCapabilities(_ context.Context, tx *db.Tx, page db.Page) (db.List[capability.Entry], error) {
	err := requireRoleReader(tx)
	if err != nil {
		return db.List[capability.Entry]{}, err
	}
	page, err = page.Check()
	if err != nil {
		return db.List[capability.Entry]{}, err
	}
	n := len(capability.All)
	from := min(page.Offset(), n)
	return db.NewList(capability.All[from:min(from+page.Limit, n)], page, n), nil
}

// requireRoleReader lets in people who compose roles and people who see who holds them.
func requireRoleReader(tx *db.Tx) error {
	if tx.Can(capability.RolesManage) {
		return nil
	}
	return tx.Require(capability.UsersRead)
}

// requireHeld keeps people from making themselves mightier through a role.
func requireHeld(tx *db.Tx, wanted []capability.Capability) error {
	missing, lacks := firstMissing(tx, wanted)
	if !lacks {
		return nil
	}
	return errs.New(errs.Forbidden, "You cannot give or take away %s, which you do not hold.", missing).
		With("capability", string(missing))
}

func newRole(row models.Role, holds []capability.Capability) Role {
	if holds == nil {
		holds = []capability.Capability{}
	}
	role := Role{ID: row.ID, Name: row.Name, Description: row.Description, Capabilities: holds,
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}
	if row.SystemKey != nil {
		role.SystemKey = *row.SystemKey
	}
	return role
}

func roleCapabilities(tx *db.Tx, role ids.ID, holds []capability.Capability) []models.RoleCapability {
	return mapSlice(holds, func(c capability.Capability) models.RoleCapability {
		return models.RoleCapability{TenantID: tx.Tenant(), RoleID: role, Capability: string(c)}
	})
}
