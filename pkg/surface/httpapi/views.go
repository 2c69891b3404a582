package httpapi

import (
	"context"

	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Views of questions and of evaluations differ in their kind alone.

// ByView names a view in the path.
type ByView struct {
	ViewID ids.ID `path:"viewId"`
}

func listViews(k *inventory.Kind) operation[PageQuery, db.List[inventory.View]] {
	return func(ctx context.Context, tx *db.Tx, in *PageQuery) (db.List[inventory.View], error) {
		return inventory.ListViews(ctx, tx, k, in.page())
	}
}

type createViewInput struct{ Body inventory.ViewInput }

func createView(k *inventory.Kind) operation[createViewInput, inventory.View] {
	return func(ctx context.Context, tx *db.Tx, in *createViewInput) (inventory.View, error) {
		return inventory.CreateView(ctx, tx, k, in.Body)
	}
}

func getView(k *inventory.Kind) operation[ByView, inventory.View] {
	return func(ctx context.Context, tx *db.Tx, in *ByView) (inventory.View, error) {
		return inventory.GetView(ctx, tx, k, in.ViewID)
	}
}

type updateViewInput struct {
	ByView
	Body inventory.ViewPatch
}

func updateView(k *inventory.Kind) operation[updateViewInput, inventory.View] {
	return func(ctx context.Context, tx *db.Tx, in *updateViewInput) (inventory.View, error) {
		return inventory.UpdateView(ctx, tx, k, in.ViewID, in.Body)
	}
}

func deleteView(k *inventory.Kind) operation[ByView, none] {
	return func(ctx context.Context, tx *db.Tx, in *ByView) (none, error) {
		return none{}, inventory.DeleteView(ctx, tx, k, in.ViewID)
	}
}
