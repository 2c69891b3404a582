package inventory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// CreateView saves a view. A personal one needs the capability to read the inventory and a
// user to belong to; a shared one needs the capability to write. Errors: validation_failed,
// duplicate_name.
func CreateView(ctx context.Context, tx *db.Tx, k *Kind, in ViewInput) (View, error) {
	if err := tx.Require(k.read); err != nil {
		return View{}, err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return View{}, err
	}
	row := models.InventoryView{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: org, Kind: k.name,
		CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	visibility := cmp.Or(in.Visibility, models.ViewPersonal)
	if in.Filter == nil {
		in.Filter = FilterInput("{}")
	}
	err = lay(ctx, tx, k, &row, ViewPatch{Name: &in.Name, Visibility: &visibility, Filter: in.Filter})
	if err != nil {
		return View{}, err
	}
	_, err = tx.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
	if err != nil {
		return View{}, fmt.Errorf("save view: %w", err)
	}
	return shown(ctx, tx, row, "view.created")
}

// UpdateView changes a view: one's own, or a shared one with the capability to write.
// Making a view shared needs that capability, and so does making a shared one personal, which makes
// it one's own. Errors: not_found, forbidden, stale_update, validation_failed, duplicate_name.
func UpdateView(ctx context.Context, tx *db.Tx, k *Kind, id ids.ID, patch ViewPatch) (View, error) {
	row, err := takeUpView(ctx, tx, k, id)
	if err != nil {
		return View{}, err
	}
	err = db.Fresh(patch.UpdatedAt, row.UpdatedAt)
	if err != nil {
		return View{}, err
	}
	err = lay(ctx, tx, k, &row, patch)
	if err != nil {
		return View{}, err
	}
	row.UpdatedAt = tx.ChangedAt(row.UpdatedAt)
	_, err = tx.NewUpdate().Model(&row).Column("name", "visibility", "owner_id", "filter", "updated_at").
		Where("tenant_id = ?", row.TenantID).Where("id = ?", row.ID).Exec(ctx)
	if err != nil {
		return View{}, fmt.Errorf("change view: %w", err)
	}
	return shown(ctx, tx, row, "view.updated")
}

// DeleteView removes a view: one's own, or a shared one with the capability to write.
// Errors: not_found, forbidden.
func DeleteView(ctx context.Context, tx *db.Tx, k *Kind, id ids.ID) error {
	row, err := takeUpView(ctx, tx, k, id)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "delete from inventory_views where tenant_id = $1 and id = $2", tx.Tenant(), id)
	if err != nil {
		return fmt.Errorf("delete view: %w", err)
	}
	return ledger.Append(ctx, tx, viewEvent(row, "view.deleted"))
}

// takeUpView locks a view that the actor may change.
func takeUpView(ctx context.Context, tx *db.Tx, k *Kind, id ids.ID) (models.InventoryView, error) {
	if err := tx.Require(k.read); err != nil {
		return models.InventoryView{}, err
	}
	row, err := findView(ctx, tx, k, id, "update")
	if err != nil || row.Visibility == models.ViewPersonal {
		return row, err
	}
	return row, tx.Require(k.write)
}

// lay lays a patch over a view; all problems at once.
func lay(ctx context.Context, tx *db.Tx, k *Kind, row *models.InventoryView, patch ViewPatch) error {
	var p problems
	if patch.Name != nil {
		p.name(*patch.Name)
		row.Name = *patch.Name
	}
	if patch.Visibility != nil && *patch.Visibility != row.Visibility {
		p.visibility(*patch.Visibility)
		p.addIf(*patch.Visibility == models.ViewPersonal && tx.Actor().Kind != db.UserActor, "visibility", "not_allowed", "a personal view belongs to a user")
		row.Visibility = *patch.Visibility
		if row.Visibility == models.ViewPersonal || row.OwnerID == nil && tx.Actor().Kind == db.UserActor {
			row.OwnerID = ids.Ref(tx.Actor().ID)
		}
	}
	if patch.Filter != nil {
		filter, err := parseFilter(ctx, tx, k, patch.Filter, &p)
		if err != nil {
			return err
		}
		row.Filter, err = json.Marshal(filter)
		if err != nil {
			return fmt.Errorf("store filter: %w", err)
		}
	}
	if err := errs.Invalid(p...); err != nil {
		return err
	}
	if row.Visibility == models.ViewShared {
		return tx.Require(k.write)
	}
	return nil
}

func shown(ctx context.Context, tx *db.Tx, row models.InventoryView, event string) (View, error) {
	err := ledger.Append(ctx, tx, viewEvent(row, event))
	if err != nil {
		return View{}, err
	}
	return viewOf(row)
}

// viewEvent tells no name: people write their own into it.
func viewEvent(row models.InventoryView, what string) ledger.Event {
	return ledger.Event{Type: what, SubjectType: "view", SubjectID: row.ID, OrgUnit: row.OrgUnitID,
		Payload: map[string]any{"kind": row.Kind, "visibility": row.Visibility}}
}
