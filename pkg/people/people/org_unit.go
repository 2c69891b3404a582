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

// OrgUnitInput describes a new org unit.
type OrgUnitInput struct {
	Slug string `json:"slug" minLength:"1" maxLength:"63" example:"sales" doc:"Lower-case letters, digits and hyphens; unique in the tenant"`
	Name string `json:"name" minLength:"1" maxLength:"200"`
}

// OrgUnit is a part of a tenant.
type OrgUnit struct {
	ID        ids.ID    `json:"id"`
	Slug      string    `json:"slug"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"createdAt"`
}

// CreateOrgUnit adds an org unit. It needs users.manage and scope.all, because it reaches
// beyond the caller's own org unit. Errors: forbidden, validation_failed, duplicate_slug.
func CreateOrgUnit(ctx context.Context, tx *db.Tx, in OrgUnitInput) (OrgUnit, error) {
	err := requireWhole(tx)
	if err != nil {
		return OrgUnit{}, err
	}
	err = checkNamed(in.Slug, in.Name)
	if err != nil {
		return OrgUnit{}, err
	}
	row := models.OrgUnit{TenantID: tx.Tenant(), ID: ids.New(), Slug: in.Slug, Name: in.Name, CreatedAt: tx.Now()}
	_, err = tx.NewInsert().Model(&row).Exec(ctx)
	if err != nil {
		return OrgUnit{}, fmt.Errorf("create org unit: %w", err)
	}
	return newOrgUnit(row), ledger.Append(ctx, tx,
		ledger.Event{Type: "org_unit.created", SubjectType: "org_unit", SubjectID: row.ID})
}

// requireWhole lets in callers who may change the shape of a tenant.
func requireWhole(tx *db.Tx) error {
	err := tx.Require(capability.UsersManage)
	if err != nil {
		return err
	}
	return tx.Require(capability.ScopeAll)
}

// ListOrgUnits lists the org units by slug. It needs users.read.
func ListOrgUnits(ctx context.Context, tx *db.Tx, page db.Page) (db.List[OrgUnit], error) {
	err := tx.Require(capability.UsersRead)
	if err != nil {
		return db.List[OrgUnit]{}, err
	}
	page, err = page.Check()
	if err != nil {
		return db.List[OrgUnit]{}, err
	}
	var rows []models.OrgUnit
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Where("tenant_id = ?", tx.Tenant()), page, &rows, "slug")
	if err != nil {
		return db.List[OrgUnit]{}, fmt.Errorf("list org units: %w", err)
	}
	return db.NewList(mapSlice(rows, newOrgUnit), page, total), nil
}

// FindOrgUnit finds an org unit of the tenant by its slug or id. It needs no capability: it turns
// a word that the caller knows into the id that a scope is made of. Errors: not_found.
func FindOrgUnit(ctx context.Context, tx *db.Tx, word string) (OrgUnit, error) {
	var rows []models.OrgUnit
	err := tx.NewSelect().Model(&rows).Where("tenant_id = ? and ? in (slug, id::text)", tx.Tenant(), word).Scan(ctx)
	if err != nil {
		return OrgUnit{}, fmt.Errorf("find org unit: %w", err)
	}
	if len(rows) == 0 {
		return OrgUnit{}, errs.New(errs.NotFound, "There is no such org unit in your scope.")
	}
	return newOrgUnit(rows[0]), nil
}

func newOrgUnit(row models.OrgUnit) OrgUnit {
	return OrgUnit{ID: row.ID, Slug: row.Slug, Name: row.Name, CreatedAt: row.CreatedAt.UTC()}
}
