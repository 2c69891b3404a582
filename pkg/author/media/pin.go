package media

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Use is an asset that a content document names as an image, and where it does.
type Use struct {
	Path  string
	Asset ids.ID
}

// Uses lists the assets of a valid document in the order of its locales; paths start at
// path ("stem.locales.en.blocks[2].assetId").
func Uses(path string, d content.Document) []Use {
	var uses []Use
	for _, locale := range locales(d) {
		for i, block := range d.Locales[locale].Blocks {
			if block.Type != content.Image {
				continue
			}
			at := fmt.Sprintf("%s.blocks[%d].assetId", member(path, "locales", locale), i)
			id, err := ids.Parse(at, block.AssetID)
			if err == nil {
				uses = append(uses, Use{Path: at, Asset: id})
			}
		}
	}
	return uses
}

// Check names the uses that a draft cannot keep: unknown_asset if the scope has no such
// asset, not_an_image if it is something else. Until the transaction ends none of the
// assets can be deleted, so Check needs a transaction that may write. It checks no
// capability itself: anyone who may write content may show the assets that exist.
func Check(ctx context.Context, tx *db.Tx, uses []Use) ([]errs.Field, error) {
	wanted := make([]ids.ID, 0, len(uses))
	for _, use := range uses {
		wanted = append(wanted, use.Asset)
	}
	held, err := hold(ctx, tx, wanted)
	if err != nil {
		return nil, err
	}
	var found []errs.Field
	for _, use := range uses {
		asset, known := held[use.Asset]
		switch {
		case !known:
			found = append(found, errs.Field{Path: use.Path, Code: "unknown_asset", Message: "there is no such asset"})
		case !strings.HasPrefix(asset.mediaType, "image/"):
			found = append(found, errs.Field{Path: use.Path, Code: "not_an_image", Message: "the asset is not an image"})
		}
	}
	return found, nil
}

// Pin gives the version of each asset that publishing freezes: the current one. An asset that
// the scope does not have is absent. Until the transaction ends none of them can be deleted: a
// deletion that came first makes the asset missing, one that comes later finds the published
// version that pins it. It checks no capability itself.
func Pin(ctx context.Context, tx *db.Tx, assetIDs []ids.ID) (map[ids.ID]ids.ID, error) {
	return currentOf(hold(ctx, tx, assetIDs))
}

// Current is Pin without the lock: it keeps nobody from deleting an asset.
func Current(ctx context.Context, tx *db.Tx, assetIDs []ids.ID) (map[ids.ID]ids.ID, error) {
	return currentOf(findHeld(ctx, tx, heldSQL, assetIDs))
}

func currentOf(held map[ids.ID]heldAsset, err error) (map[ids.ID]ids.ID, error) {
	pins := make(map[ids.ID]ids.ID, len(held))
	for id, asset := range held {
		pins[id] = asset.currentID
	}
	return pins, err
}

// heldAsset is an asset that does not change while the transaction lasts.
type heldAsset struct {
	currentID ids.ID
	mediaType string
}

// hold finds assets and keeps them from being deleted. The order keeps two such calls and a
// deletion from waiting for each other.
func hold(ctx context.Context, tx *db.Tx, assetIDs []ids.ID) (map[ids.ID]heldAsset, error) {
	return findHeld(ctx, tx, heldSQL+" order by id for key share", assetIDs)
}

const heldSQL = "select id, current_id, media_type from assets where tenant_id = $1 and id = any($2) and ($3 or org_unit_id = $4)"

func findHeld(ctx context.Context, tx *db.Tx, sql string, assetIDs []ids.ID) (map[ids.ID]heldAsset, error) {
	held := make(map[ids.ID]heldAsset, len(assetIDs))
	if len(assetIDs) == 0 {
		return held, nil
	}
	rows, err := tx.Query(ctx, sql, tx.Tenant(), assetIDs, tx.Scope().All, tx.Scope().OrgUnit)
	if err != nil {
		return nil, fmt.Errorf("hold assets: %w", err)
	}
	var id ids.ID
	var asset heldAsset
	_, err = pgx.ForEachRow(rows, []any{&id, &asset.currentID, &asset.mediaType}, func() error {
		held[id] = asset
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("hold assets: %w", err)
	}
	return held, nil
}

// locales lists the locales of a document in alphabetical order.
func locales(d content.Document) []string { return slices.Sorted(maps.Keys(d.Locales)) }

// member is the path of something below path.
func member(path string, names ...string) string {
	if path != "" {
		names = append([]string{path}, names...)
	}
	return strings.Join(names, ".")
}
