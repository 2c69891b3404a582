package authoring

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// listing chooses records by their newest versions, as the filters of all kinds do. also are
// the conditions of one kind only.
type listing struct {
	status       string
	statuses     []string
	terms        termFilter
	search, sort string
	page         db.Page
	also         []func(*bun.SelectQuery) *bun.SelectQuery
}

// list counts the chosen records and gives a page of them. Errors: validation_failed.
func (s store[R, V, C, Out]) list(ctx context.Context, tx *db.Tx, l listing) ([]R, db.Page, int, error) {
	none := db.Page{}
	if err := tx.Require(s.read); err != nil {
		return nil, none, 0, err
	}
	page, err := l.page.Check()
	if err != nil {
		return nil, none, 0, err
	}
	if err := errs.Invalid(l.terms.check()...); err != nil {
		return nil, none, 0, err
	}
	if err := checkSort(l.sort); err != nil {
		return nil, none, 0, err
	}
	carrying, err := l.terms.carrying(ctx, tx, s.noun)
	if err != nil {
		return nil, none, 0, err
	}
	chosen := func(q *bun.SelectQuery) *bun.SelectQuery {
		return q.Apply(tx.InScope, withStatus(l.status, l.statuses...), carrying).Apply(l.also...)
	}
	rows, total, err := s.pageOf(ctx, tx, l, page, chosen)
	if err != nil {
		return nil, none, 0, fmt.Errorf("list %s: %w", s.records(), err)
	}
	return rows, page, total, nil
}

// pageOf reads the chosen records; with a search, only the ones that it finds (sift).
func (s store[R, V, C, Out]) pageOf(ctx context.Context, tx *db.Tx, l listing, page db.Page, chosen func(*bun.SelectQuery) *bun.SelectQuery) ([]R, int, error) {
	var rows []R
	if l.search == "" {
		total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Apply(chosen), page, &rows, order(l.sort)...)
		return rows, total, err
	}
	total, found, err := sift(ctx, tx, s.noun, tx.NewSelect().Model(&rows).Apply(chosen), l.search, l.sort, page)
	if err != nil || len(found) == 0 {
		return nil, total, err
	}
	err = tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("?TableAlias.id in (?)", bun.List(found)).Order(order(l.sort)...).Scan(ctx)
	return rows, total, err
}

// newestOf gives columns of the newest version of each record, by the id of the version; it
// leaves out what versions have outside their rows.
func (s store[R, V, C, Out]) newestOf(ctx context.Context, tx *db.Tx, records []R, columns ...string) (map[ids.ID]V, error) {
	versions := make(map[ids.ID]V, len(records))
	if len(records) == 0 {
		return versions, nil
	}
	var rows []V
	wanted := each(records, func(r R) ids.ID { return newestID(r.Row()) })
	err := tx.NewSelect().Model(&rows).Column("id", "number").Column(columns...).Apply(tx.InScope).
		Where("v.id in (?)", bun.List(wanted)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read newest %s versions: %w", s.noun, err)
	}
	for _, row := range rows {
		versions[row.Row().ID] = row
	}
	return versions, nil
}
