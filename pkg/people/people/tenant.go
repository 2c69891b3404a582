package people

import (
	"context"
	"errors"
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
// gives it the system roles. Only operators may: nobody can hold a capability in a tenant
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

// GetTenant gives the tenant of the transaction.
func GetTenant(ctx context.Context, tx *db.Tx) (Tenant, error) {
	t := Tenant{ID: tx.Tenant()}
	err := tx.QueryRow(ctx, "select slug, name, created_at from tenants where id = $1", t.ID).Scan(&t.Slug, &t.Name, &t.CreatedAt)
	if err != nil {
		return t, fmt.Errorf("read tenant: %w", err)
	}
	t.CreatedAt = t.CreatedAt.UTC()
	return t, nil
}

// RenameTenant gives the tenant of the transaction another name; its slug stays, for people sign in
// with it. It needs users.manage and scope.all. Errors: forbidden, validation_failed.
func RenameTenant(ctx context.Context, tx *db.Tx, name string) (Tenant, error) {
	err := requireWhole(tx)
	if err != nil {
		return Tenant{}, err
	}
	err = errs.Invalid(errs.Line("name", name, maxNameChars, true)...)
	if err != nil {
		return Tenant{}, err
	}
	changed, err := tx.Exec(ctx, "update tenants set name = $2 where id = $1 and name <> $2", tx.Tenant(), name)
	if err != nil {
		return Tenant{}, fmt.Errorf("rename tenant: %w", err)
	}
	if changed > 0 {
		err = ledger.Append(ctx, tx, ledger.Event{Type: "tenant.renamed", SubjectType: "tenant", SubjectID: tx.Tenant()})
		if err != nil {
			return Tenant{}, err
		}
	}
	return GetTenant(ctx, tx)
}

// ListTenants lists the tenants of the installation, each read in its own scope: no transaction
// sees two of them.
func ListTenants(ctx context.Context, store *db.Store) ([]Tenant, error) {
	all, err := store.Tenants(ctx)
	if err != nil {
		return nil, err
	}
	tenants := make([]Tenant, len(all))
	for i, id := range all {
		err = store.Read(ctx, db.System(id, "tenants"), func(tx *db.Tx) error {
			tenants[i], err = GetTenant(ctx, tx)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return tenants, nil
}

// FindTenant finds a tenant by its slug or id. Nobody but the tenant's own scope sees its row,
// so an id is looked up in the scope that it would make. Errors: not_found.
func FindTenant(ctx context.Context, store *db.Store, word string) (ids.ID, error) {
	tenant, err := store.TenantBySlug(ctx, word)
	if !errors.Is(err, errs.NotFound) {
		return tenant, err
	}
	tenant, parseErr := ids.Parse("tenant", word)
	if parseErr != nil {
		return ids.None, err
	}
	return tenant, store.Read(ctx, db.System(tenant, "find tenant"), func(tx *db.Tx) error {
		_, err := GetTenant(ctx, tx)
		return err
	})
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
	err := tx.AnnounceAccess(ctx)
	if err != nil {
		return err
	}
	_, err = tx.NewInsert().Model(&roles).Exec(ctx)
	if err != nil {
		return fmt.Errorf("seed system roles: %w", err)
	}
	_, err = tx.NewInsert().Model(&holds).Exec(ctx)
	if err != nil {
		return fmt.Errorf("seed capabilities of system roles: %w", err)
	}
	return nil
}
