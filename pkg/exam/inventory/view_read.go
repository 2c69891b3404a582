package inventory

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// ListViews gives the shared views of the scope and one's own personal ones, by name.
func ListViews(ctx context.Context, tx *db.Tx, k *Kind, page db.Page) (db.List[View], error) {
	if err := tx.Require(k.read); err != nil {
		return db.List[View]{}, err
	}
	page, err := page.Check()
	if err != nil {
		return db.List[View]{}, err
	}
	var rows []models.InventoryView
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Apply(visible(tx, k)), page, &rows, "w.name", "w.id")
	if err != nil {
		return db.List[View]{}, fmt.Errorf("list views: %w", err)
	}
	items := make([]View, 0, len(rows))
	for _, row := range rows {
		v, err := viewOf(row)
		if err != nil {
			return db.List[View]{}, err
		}
		items = append(items, v)
	}
	return db.NewList(items, page, total), nil
}

// GetView gives a view. Another's personal view does not exist for anybody else, whatever
// their role. Errors: not_found.
func GetView(ctx context.Context, tx *db.Tx, k *Kind, id ids.ID) (View, error) {
	if err := tx.Require(k.read); err != nil {
		return View{}, err
	}
	row, err := findView(ctx, tx, k, id, "")
	if err != nil {
		return View{}, err
	}
	return viewOf(row)
}

// findView finds a view that the actor can see, locked where the view is to change.
func findView(ctx context.Context, tx *db.Tx, k *Kind, id ids.ID, lock string) (models.InventoryView, error) {
	q := tx.NewSelect()
	if lock != "" {
		q = q.For(lock + " of w")
	}
	var rows []models.InventoryView
	err := q.Model(&rows).Apply(visible(tx, k)).Where("w.id = ?", id).Scan(ctx)
	if err != nil {
		return models.InventoryView{}, fmt.Errorf("read view: %w", err)
	}
	if len(rows) == 0 {
		return models.InventoryView{}, errs.New(errs.NotFound, "There is no such view in your scope.")
	}
	return rows[0], nil
}

// visible keeps the views of a kind that the actor can see. An operator has no personal
// ones.
func visible(tx *db.Tx, k *Kind) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		q = q.Where("w.tenant_id = ?", tx.Tenant()).Where("w.kind = ?", k.name).
			Where("w.visibility = ? or w.owner_id = ?", models.ViewShared, tx.Actor().ID)
		if tx.Scope().All {
			return q
		}
		return q.Where("w.org_unit_id = ?", tx.Scope().OrgUnit)
	}
}
