package people

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// OrgUnitPatch changes the fields that are given.
type OrgUnitPatch struct {
	Slug *string `json:"slug,omitempty"`
	Name *string `json:"name,omitempty"`
}

// RenameOrgUnit gives an org unit another slug, another name, or both. Nobody finds it by the old slug any
// more. It needs users.manage and scope.all. Errors: forbidden, not_found, validation_failed, duplicate_slug.
func RenameOrgUnit(ctx context.Context, tx *db.Tx, id ids.ID, p OrgUnitPatch) (OrgUnit, error) {
	unit, err := lockOrgUnit(ctx, tx, id)
	if err != nil {
		return OrgUnit{}, err
	}
	was := unit
	unit.Slug, unit.Name = *cmp.Or(p.Slug, &unit.Slug), *cmp.Or(p.Name, &unit.Name)
	err = checkNamed(unit.Slug, unit.Name)
	if err != nil || unit == was {
		return unit, err
	}
	_, err = tx.Exec(ctx, "update org_units set slug = $3, name = $4 where tenant_id = $1 and id = $2", tx.Tenant(), id, unit.Slug, unit.Name)
	if err != nil {
		return OrgUnit{}, fmt.Errorf("rename org unit: %w", err)
	}
	return unit, ledger.Append(ctx, tx, ledger.Event{Type: "org_unit.renamed", SubjectType: "org_unit", SubjectID: id})
}

// DeleteOrgUnit removes an org unit that nothing refers to: one that was made by mistake. The ledger
// never forgets, so an org unit that an event names stays. It needs users.manage and scope.all.
// Errors: forbidden, not_found, org_unit_in_use with a count by table.
func DeleteOrgUnit(ctx context.Context, tx *db.Tx, id ids.ID) (OrgUnit, error) {
	unit, err := lockOrgUnit(ctx, tx, id)
	if err != nil {
		return OrgUnit{}, err
	}
	err = refuseUsed(ctx, tx, unit)
	if err != nil {
		return OrgUnit{}, err
	}
	_, err = tx.Exec(ctx, "delete from org_units where tenant_id = $1 and id = $2", tx.Tenant(), id)
	if err != nil {
		return OrgUnit{}, fmt.Errorf("delete org unit: %w", err)
	}
	return unit, ledger.Append(ctx, tx, ledger.Event{Type: "org_unit.deleted", SubjectType: "org_unit", SubjectID: id})
}

// lockOrgUnit keeps rows that refer to the org unit from coming until the transaction ends.
func lockOrgUnit(ctx context.Context, tx *db.Tx, id ids.ID) (OrgUnit, error) {
	err := requireWhole(tx)
	if err != nil {
		return OrgUnit{}, err
	}
	unit := OrgUnit{ID: id}
	err = tx.QueryRow(ctx, "select slug, name, created_at from org_units where tenant_id = $1 and id = $2 for update", tx.Tenant(), id).
		Scan(&unit.Slug, &unit.Name, &unit.CreatedAt)
	if err != nil {
		return OrgUnit{}, fmt.Errorf("find org unit: %w", err)
	}
	unit.CreatedAt = unit.CreatedAt.UTC()
	return unit, nil
}

// countedUses is how far uses of one kind are counted.
const countedUses = 1000

//go:embed org_unit_uses.sql
var orgUnitUsesSQL string

// refuseUsed looks in every table whose foreign key leads to org units, so that no later table is forgotten.
func refuseUsed(ctx context.Context, tx *db.Tx, unit OrgUnit) error {
	rows, err := tx.Query(ctx, orgUnitUsesSQL)
	if err != nil {
		return fmt.Errorf("find tables that refer to org units: %w", err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct{ Name, Column string }])
	if err != nil {
		return fmt.Errorf("find tables that refer to org units: %w", err)
	}
	counts := make([]string, len(tables))
	for i, t := range tables {
		counts[i] = fmt.Sprintf("(select count(*) from (select from %s where tenant_id = $1 and %s = $2 limit %d) used)",
			pgx.Identifier{t.Name}.Sanitize(), pgx.Identifier{t.Column}.Sanitize(), countedUses)
	}
	var uses []int
	err = tx.QueryRow(ctx, "select array["+strings.Join(counts, ", ")+"]", tx.Tenant(), unit.ID).Scan(&uses)
	if err != nil {
		return fmt.Errorf("count uses of org unit: %w", err)
	}
	var said []string
	found := map[string]int{}
	for i, n := range uses {
		if n > 0 {
			said = append(said, fmt.Sprintf("%s %d", strings.ReplaceAll(tables[i].Name, "_", " "), n))
			found[tables[i].Name] = n
		}
	}
	if len(found) == 0 {
		return nil
	}
	return errs.New(errs.OrgUnitInUse, "The org unit %q stays, for these refer to it (counted up to %d): %s.", unit.Slug, countedUses, strings.Join(said, ", ")).
		With("uses", found)
}
