package media

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// lockAsset finds an asset and keeps others from changing it ("no key update") or from
// holding it as well ("update"). It gives not_found if the asset is out of scope.
func lockAsset(ctx context.Context, tx *db.Tx, id ids.ID, strength string) (models.Asset, error) {
	var row models.Asset
	err := tx.NewSelect().Model(&row).Apply(tx.InScope).Where("a.id = ?", id).For(strength).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return row, notFound()
	}
	if err != nil {
		return row, fmt.Errorf("lock asset: %w", err)
	}
	return row, nil
}

// versionsOf gives the newest versions of an asset, which has at least one.
func versionsOf(ctx context.Context, tx *db.Tx, id ids.ID) ([]models.AssetVersion, error) {
	var rows []models.AssetVersion
	err := tx.NewSelect().Model(&rows).Where("v.tenant_id = ?", tx.Tenant()).Where("v.asset_id = ?", id).
		Order("v.number desc").Limit(maxVersions).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read versions of asset: %w", err)
	}
	if len(rows) == 0 {
		return nil, notFound()
	}
	return rows, nil
}

// withCurrent adds the current versions to assets, in one statement.
func withCurrent(ctx context.Context, tx *db.Tx, assets []models.Asset) ([]AssetSummary, error) {
	if len(assets) == 0 {
		return nil, nil
	}
	wanted := make([]ids.ID, 0, len(assets))
	for _, a := range assets {
		wanted = append(wanted, a.CurrentID)
	}
	var rows []models.AssetVersion
	err := tx.NewSelect().Model(&rows).Where("v.tenant_id = ?", tx.Tenant()).Where("v.id in (?)", bun.List(wanted)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read current versions: %w", err)
	}
	versions := make(map[ids.ID]models.AssetVersion, len(rows))
	for _, v := range rows {
		versions[v.ID] = v
	}
	summaries := make([]AssetSummary, 0, len(assets))
	for _, a := range assets {
		summaries = append(summaries, summary(a, versions[a.CurrentID]))
	}
	return summaries, nil
}

func summary(a models.Asset, current models.AssetVersion) AssetSummary {
	return AssetSummary{ID: a.ID, Name: a.Name, MediaType: a.MediaType, Current: versionOf(current),
		CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt}
}

func versionOf(v models.AssetVersion) Version {
	return Version{ID: v.ID, Number: v.Number, MediaType: v.MediaType, SizeBytes: v.SizeBytes, SHA256: v.SHA256,
		Width: v.Width, Height: v.Height, CreatedAt: v.CreatedAt}
}
