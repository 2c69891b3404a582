package pack

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// localAsset is an asset of the org unit with its current version.
type localAsset struct{ id, version ids.ID }

// copyAssets finds the files of the pack among the assets of the org unit, or makes assets of them: the bytes are
// stored already.
func (i *installer) copyAssets(ctx context.Context) error {
	i.assets = map[string]localAsset{}
	rows, err := i.tx.Query(ctx, "select line from library_entries where tenant_id = $1 and revision_id = $2 and kind = 'asset' order by position",
		i.tx.Tenant(), i.revision.ID)
	if err != nil {
		return fmt.Errorf("read files: %w", err)
	}
	var files []assetLine
	var a assetLine
	_, err = pgx.ForEachRow(rows, []any{lineOf(&a)}, func() error {
		files = append(files, a)
		a = assetLine{}
		return nil
	})
	if err != nil || len(files) == 0 {
		return err
	}
	err = i.findAssets(ctx, files)
	if err != nil {
		return err
	}
	var assets []*models.Asset
	var versions []*models.AssetVersion
	for _, f := range files {
		if _, there := i.assets[f.SHA256]; there {
			continue
		}
		local := localAsset{ids.New(), ids.New()}
		i.assets[f.SHA256] = local
		assets = append(assets, &models.Asset{TenantID: i.tx.Tenant(), ID: local.id, OrgUnitID: i.in.OrgUnitID, Name: f.Name, NameKey: strings.ToLower(f.Name),
			MediaType: f.MediaType, CurrentID: local.version, CreatedAt: i.tx.Now(), UpdatedAt: i.tx.Now()})
		versions = append(versions, &models.AssetVersion{TenantID: i.tx.Tenant(), ID: local.version, OrgUnitID: i.in.OrgUnitID, AssetID: local.id, Number: 1,
			MediaType: f.MediaType, SizeBytes: f.SizeBytes, SHA256: f.SHA256, Width: f.Width, Height: f.Height, CreatedAt: i.tx.Now()})
	}
	i.done.CreatedAssets = len(assets)
	err = insertAll(ctx, i.tx, assets)
	if err != nil {
		return err
	}
	return insertAll(ctx, i.tx, versions)
}

// findAssets looks for the files among the current assets of the org unit, and keeps the ones that it finds from being deleted.
func (i *installer) findAssets(ctx context.Context, files []assetLine) error {
	hashes := make([]string, len(files))
	for n, f := range files {
		hashes[n] = f.SHA256
	}
	rows, err := i.tx.Query(ctx, `
		select v.sha256, a.id, v.id from asset_versions v join assets a on a.tenant_id = $1 and a.id = v.asset_id and a.current_id = v.id
		where v.tenant_id = $1 and v.sha256 = any($2) and v.org_unit_id = $3 order by a.id desc for key share of a`,
		i.tx.Tenant(), hashes, i.in.OrgUnitID)
	if err != nil {
		return fmt.Errorf("find images: %w", err)
	}
	var sha256 string
	var local localAsset
	_, err = pgx.ForEachRow(rows, []any{&sha256, &local.id, &local.version}, func() error {
		i.assets[sha256] = local
		return nil
	})
	if err != nil {
		return fmt.Errorf("find images: %w", err)
	}
	return nil
}

func insertAll[R any](ctx context.Context, tx *db.Tx, rows []R) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := tx.NewInsert().Model(&rows).Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("copy images: %w", err)
	}
	return nil
}

// copied has the body of a version of the org unit if it differs from the body in the pack: images have the ids of the org unit.
type copied struct {
	body, hash *string
	pins       string
}

// bodies gives them for versions that show files; contents are the hashes of the bodies in the pack.
func (i *installer) bodies(ctx context.Context, contents []string, files [][]string, passages []*ids.ID) ([]copied, error) {
	all := make([]copied, len(contents))
	var wanted []string
	for n := range contents {
		if len(files[n]) > 0 {
			wanted = append(wanted, contents[n])
		}
	}
	said, err := i.contents(ctx, wanted)
	if err != nil {
		return nil, err
	}
	for n, hash := range contents {
		pins := models.Pins{PassageVersionID: passages[n], AssetVersions: map[ids.ID]ids.ID{}}
		if len(files[n]) > 0 {
			others := map[ids.ID]ids.ID{}
			for _, sha256 := range files[n] {
				id, err := assetID(sha256)
				if err != nil {
					return nil, err
				}
				local, there := i.assets[sha256]
				if !there {
					return nil, errs.New(errs.StorageUnavailable, "The pack lacks a file that it shows.")
				}
				others[id], pins.AssetVersions[local.id] = local.id, local.version
			}
			body, err := withAssets(said[hash], others)
			if err != nil {
				return nil, err
			}
			text, named := string(body), content.Hash(body)
			all[n].body, all[n].hash = &text, &named
		}
		raw, err := json.Marshal(pins)
		if err != nil {
			return nil, fmt.Errorf("write pins: %w", err)
		}
		all[n].pins = string(raw)
	}
	return all, nil
}

func (i *installer) contents(ctx context.Context, hashes []string) (map[string]json.RawMessage, error) {
	found := make(map[string]json.RawMessage, len(hashes))
	if len(hashes) == 0 {
		return found, nil
	}
	rows, err := i.tx.Query(ctx, "select hash, body from library_contents where tenant_id = $1 and hash = any($2)", i.tx.Tenant(), hashes)
	if err != nil {
		return nil, fmt.Errorf("read contents: %w", err)
	}
	var hash string
	var body json.RawMessage
	_, err = pgx.ForEachRow(rows, []any{&hash, &body}, func() error {
		found[hash], body = body, nil
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read contents: %w", err)
	}
	return found, nil
}
