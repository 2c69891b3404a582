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

// TenantInput describes a new tenant.
type TenantInput struct {
	Slug string `json:"slug" minLength:"1" maxLength:"63" example:"northwind" doc:"Lower-case letters, digits and hyphens; unique in the installation"`
	Name string `json:"name" minLength:"1" maxLength:"200"`
}

// Tenant is a customer of the installation.
type Tenant struct {
	ID        ids.ID    `json:"id"`
	Slug      string    `json:"slug"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"createdAt"`
}

// CreateTenant makes the tenant whose new id the transaction's scope already names, and
// gives it the system roles. Operators alone may: nobody can hold a capability in a tenant
// that does not exist. Errors: forbidden, validation_failed, duplicate_slug.
func CreateTenant(ctx context.Context, tx *db.Tx, in TenantInput) (Tenant, error) {
	if tx.Actor().Kind == db.UserActor {
		return Tenant{}, errs.New(errs.Forbidden, "Only operators create tenants.")
	}
	err := checkNamed(in.Slug, in.Name)
	if err != nil {
		return Tenant{}, err
	}
	row := models.Tenant{ID: tx.Tenant(), Slug: in.Slug, Name: in.Name, CreatedAt: tx.Now()}
	_, err = tx.NewInsert().Model(&row).Exec(ctx)
	if err != nil {
		return Tenant{}, fmt.Errorf("create tenant: %w", err)
	}
	err = seedRoles(ctx, tx)
	if err != nil {
		return Tenant{}, err
	}
	return Tenant{ID: row.ID, Slug: row.Slug, Name: row.Name, CreatedAt: row.CreatedAt},
		ledger.Append(ctx, tx, ledger.Event{Type: "tenant.created", SubjectType: "tenant", SubjectID: row.ID})
}

// seedRoles writes all system roles with their capabilities in two statements.
func seedRoles(ctx context.Context, tx *db.Tx) error {
	var roles []models.Role
	var holds []models.RoleCapability
	for _, r := range capability.SystemRoles {
		role := models.Role{TenantID: tx.Tenant(), ID: ids.New(), SystemKey: &r.Key, Name: r.Name,
			CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
		roles = append(roles, role)
		holds = append(holds, roleCapabilities(tx, role.ID, r.Capabilities)...)
	}
	_, err := tx.NewInsert().Model(&roles).Exec(ctx)
	if err != nil {
		return fmt.Errorf("seed system roles: %w", err)
	}
	_, err = tx.NewInsert().Model(&holds).Exec(ctx)
	if err != nil {
		return fmt.Errorf("seed capabilities of system roles: %w", err)
	}
	return nil
}
