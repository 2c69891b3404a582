package taxonomy

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// FacetPatch changes the fields that it names and no others. A facet stays in its domain:
// terms that are assigned already depend on it.
type FacetPatch struct {
	UpdatedAt *time.Time `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	Slug      *string    `json:"slug,omitempty" maxLength:"200" example:"topic"`
	Label     *string    `json:"label,omitempty" maxLength:"200" example:"Topic"`
}

// GetFacet gives one facet. Errors: not_found.
func GetFacet(ctx context.Context, tx *db.Tx, id ids.ID) (Facet, error) {
	if err := mayRead(tx); err != nil {
		return Facet{}, err
	}
	var row models.Facet
	err := tx.NewSelect().Model(&row).Where("f.tenant_id = ?", tx.Tenant()).Where("f.id = ?", id).Scan(ctx)
	if err != nil {
		return Facet{}, found("facet", err)
	}
	return facetOf(row), nil
}

// UpdateFacet changes the slug and label of a facet. Errors: not_found, stale_update,
// validation_failed, duplicate_slug.
func UpdateFacet(ctx context.Context, tx *db.Tx, id ids.ID, patch FacetPatch) (Facet, error) {
	if err := mayChangeSome(tx); err != nil {
		return Facet{}, err
	}
	row, err := lockFacet(ctx, tx, id)
	if err != nil {
		return Facet{}, err
	}
	if err := db.Fresh(patch.UpdatedAt, row.UpdatedAt); err != nil {
		return Facet{}, err
	}
	slug, label, bad := checkChange(patch.Slug, patch.Label, row.Slug, row.Label)
	if err := errs.Invalid(bad...); err != nil {
		return Facet{}, err
	}
	row.Slug, row.Label, row.UpdatedAt = slug, label, tx.ChangedAt(row.UpdatedAt)
	_, err = tx.NewUpdate().Model(&row).Column("slug", "label", "updated_at").WherePK().Exec(ctx)
	if err != nil {
		return Facet{}, fmt.Errorf("update facet: %w", err)
	}
	return facetOf(row), ledger.Append(ctx, tx, ledger.Event{Type: "facet.updated", SubjectType: "facet", SubjectID: id})
}

// lockFacet lets the changes to the terms of a facet happen one at a time, since the shape of a
// tree depends on all of its terms: two moves can each be sound and close a circle together.
// Terms can be made and assigned meanwhile. It needs the capability of the domain.
func lockFacet(ctx context.Context, tx *db.Tx, id ids.ID) (models.Facet, error) {
	var row models.Facet
	err := tx.NewSelect().Model(&row).Where("f.tenant_id = ?", tx.Tenant()).Where("f.id = ?", id).
		For("no key update").Scan(ctx)
	if err != nil {
		return row, found("facet", err)
	}
	return row, tx.Require(manages(row.Domain))
}

// checkChange checks a slug and label; a nil one does not change.
func checkChange(slug, label *string, oldSlug, oldLabel string) (string, string, []errs.Field) {
	if label != nil {
		oldLabel = *label
	}
	if slug == nil {
		_, trimmed, bad := checkNames(oldSlug, oldLabel)
		return oldSlug, trimmed, bad
	}
	if *slug == "" {
		return "", "", []errs.Field{{Path: "slug", Code: "required", Message: "a slug is required"}}
	}
	return checkNames(*slug, oldLabel)
}
