package programme

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// find reads one row of the scope; a lock keeps it from changing until the transaction ends.
func find[T any](ctx context.Context, tx *db.Tx, what string, id ids.ID, lock string) (T, error) {
	var rows []T
	query := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("?TableAlias.id = ?", id)
	if lock != "" {
		query = query.For(lock)
	}
	err := query.Scan(ctx)
	if err != nil {
		var none T
		return none, fmt.Errorf("read %s: %w", what, err)
	}
	if len(rows) == 0 {
		var none T
		return none, errs.New(errs.NotFound, "There is no such %s in your scope.", what)
	}
	return rows[0], nil
}

// list reads one page, newest change first.
func list[R, T any](ctx context.Context, tx *db.Tx, page db.Page, show func(R) T,
	filters ...func(*bun.SelectQuery) *bun.SelectQuery) (db.List[T], error) {
	err := tx.Require(capability.SubjectsManage)
	if err != nil {
		return db.List[T]{}, err
	}
	page, err = page.Check()
	if err != nil {
		return db.List[T]{}, err
	}
	var rows []R
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Apply(append(filters, tx.InScope)...), page, &rows, "updated_at desc", "id")
	if err != nil {
		return db.List[T]{}, fmt.Errorf("list: %w", err)
	}
	items := make([]T, len(rows))
	for i, row := range rows {
		items[i] = show(row)
	}
	return db.NewList(items, page, total), nil
}

// insert writes a new row and its ledger event.
func insert(ctx context.Context, tx *db.Tx, row any, e ledger.Event) error {
	_, err := tx.NewInsert().Model(row).Exec(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Type, err)
	}
	return ledger.Append(ctx, tx, e)
}

// update writes a changed row and its ledger event.
func update(ctx context.Context, tx *db.Tx, row any, e ledger.Event) error {
	_, err := tx.NewUpdate().Model(row).WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Type, err)
	}
	return ledger.Append(ctx, tx, e)
}

// refers says whether the org unit has a row that a new record points at.
func refers(ctx context.Context, tx *db.Tx, table string, org, id ids.ID) (bool, error) {
	there, err := tx.NewSelect().Table(table).
		Where("tenant_id = ? and id = ? and org_unit_id = ?", tx.Tenant(), id, org).Exists(ctx)
	if err != nil {
		return false, fmt.Errorf("look up %s: %w", table, err)
	}
	return there, nil
}
