package authoring

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// ListVersionsInput names a question, passage or evaluation and a page of its versions.
type ListVersionsInput struct {
	ID ids.ID `path:"id"`
	db.Page
}

// VersionInput names a version of a question, passage or evaluation.
type VersionInput struct {
	ID        ids.ID `path:"id" json:"-"`
	VersionID ids.ID `path:"versionId" json:"-"`
}

// ExportFilter chooses the records of the home org unit to export. No status means
// drafts and published records: an import makes nothing that is archived.
type ExportFilter struct {
	Status string
	// QType is for questions only.
	QType scoring.QType
}

// versionPage gives versions of a record, newest first, each with the columns that all kinds
// have and some of its own. Errors: not_found.
func (s store[R, V, C, Out]) versionPage(ctx context.Context, tx *db.Tx, in ListVersionsInput, columns ...string) ([]V, db.Page, int, error) {
	none := db.Page{}
	if err := tx.Require(s.read); err != nil {
		return nil, none, 0, err
	}
	page, err := in.Check()
	if err != nil {
		return nil, none, 0, err
	}
	_, err = s.one(ctx, tx, in.ID)
	if err != nil {
		return nil, none, 0, err
	}
	var rows []V
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Column("id", "number", "status", "updated_at", "published_at").Column(columns...).
		Apply(tx.InScope).Where("v.? = ?", bun.Ident(string(s.noun)+"_id"), in.ID), page, &rows, "v.number desc")
	if err != nil {
		return nil, none, 0, fmt.Errorf("list %s versions: %w", s.noun, err)
	}
	return rows, page, int(total), nil
}

// version gives one version of a record, current or earlier. Errors: not_found.
func (s store[R, V, C, Out]) version(ctx context.Context, tx *db.Tx, in VersionInput) (V, error) {
	err := tx.Require(s.read)
	if err != nil {
		var none V
		return none, err
	}
	return s.ownVersion(ctx, tx, in)
}

func (s store[R, V, C, Out]) ownVersion(ctx context.Context, tx *db.Tx, in VersionInput) (V, error) {
	rows, err := s.versionsByID(ctx, tx, []ids.ID{in.VersionID})
	row, known := rows[in.VersionID]
	if err == nil && (!known || *s.owner(row) != in.ID) {
		err = errs.New(errs.NotFound, "The %s has no such version in your scope.", s.noun)
	}
	return row, err
}

// findExternal gives the ids of records of the home org unit by their external ids; a record
// without one is found by its id. Unknown ones are absent.
func (s store[R, V, C, Out]) findExternal(ctx context.Context, tx *db.Tx, externalIDs []string) (map[string]ids.ID, error) {
	if err := tx.Require(s.read); err != nil {
		return nil, err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return nil, err
	}
	found := make(map[string]ids.ID, len(externalIDs))
	var rows []struct {
		ID         ids.ID
		ExternalID string
	}
	err = tx.NewSelect().Table(s.records()).Column("id").ColumnExpr("coalesce(external_id, id::text) as external_id").
		Where("tenant_id = ?", tx.Tenant()).Where("org_unit_id = ?", org).
		Where("(external_id in (?) or (external_id is null and id in (?)))", bun.List(searchable(externalIDs)),
			bun.List(searchableIDs(externalIDs))).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("find %s by external id: %w", s.records(), err)
	}
	for _, row := range rows {
		found[row.ExternalID] = row.ID
	}
	return found, nil
}

// exported gives up to limit records with their newest versions, in the order in which they were
// made, beginning after a given one. The page follows the primary key: it begins where the last
// one ended and nothing is sorted, however many there are.
func (s store[R, V, C, Out]) exported(ctx context.Context, tx *db.Tx, filter ExportFilter, after ids.ID, limit int) ([]*edit[R, V], error) {
	org, err := exportScope(tx, s.read, filter)
	if err != nil {
		return nil, err
	}
	var rows []R
	err = tx.NewSelect().Model(&rows).Where("?TableAlias.tenant_id = ?", tx.Tenant()).Where("?TableAlias.org_unit_id = ?", org).
		Where("?TableAlias.id > ?", after).Where("(?TableAlias.status = ? or (? = '' and ?TableAlias.status <> 'archived'))", filter.Status, filter.Status).
		OrderExpr("?TableAlias.id").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("export %s: %w", s.records(), err)
	}
	return s.newest(ctx, tx, rows)
}

// newest opens records with their newest versions.
func (s store[R, V, C, Out]) newest(ctx context.Context, tx *db.Tx, rows []R) ([]*edit[R, V], error) {
	versions, err := s.versionsByID(ctx, tx, each(rows, func(r R) ids.ID { return newestID(r.Row()) }))
	if err != nil {
		return nil, err
	}
	return each(rows, func(r R) *edit[R, V] { return s.open(r, versions) }), nil
}

func exportScope(tx *db.Tx, needs capability.Capability, filter ExportFilter) (ids.ID, error) {
	err := tx.Require(needs)
	if err != nil {
		return ids.None, err
	}
	switch filter.Status {
	case "", "draft", "published", "archived":
		return tx.HomeOrgUnit()
	}
	return ids.None, errs.Invalid(errs.Field{Path: "status", Code: "out_of_range", Message: "expected draft, published or archived"})
}
