package media

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// maxVersions bounds the versions that an asset is read with.
const maxVersions = 200

// Readers are the capabilities of everybody who writes content or reads it as it is written:
// one of them is enough to read assets. Users who are shown content get only the assets that
// it shows (PinnedVersion).
var Readers = []capability.Capability{capability.MediaManage, capability.QuestionsRead, capability.EvaluationsRead}

func requireReader(tx *db.Tx) error { return requireOne(tx, Readers) }

func requireOne(tx *db.Tx, of []capability.Capability) error {
	if slices.ContainsFunc(of, tx.Can) {
		return nil
	}
	return tx.Require(of[0])
}

// AssetFilter chooses assets; the zero value chooses all. NamePrefix is how the name begins,
// in any case; MediaType is a type or a kind ("image/png", "image/*").
type AssetFilter struct {
	NamePrefix string `query:"name" maxLength:"200" doc:"How the name begins, in capitals or not; then assets come by name"`
	MediaType  string `query:"mediaType" maxLength:"100" example:"image/*" doc:"A media type, or all of a kind"`
	db.Page
}

// ListAssets gives the assets that changed last first; by name when the filter chooses by name.
func ListAssets(ctx context.Context, tx *db.Tx, filter AssetFilter) (db.List[AssetSummary], error) {
	var none db.List[AssetSummary]
	if err := requireReader(tx); err != nil {
		return none, err
	}
	page, err := filter.Check()
	if err != nil {
		return none, err
	}
	types := typesLike(filter.MediaType)
	if filter.MediaType != "" && len(types) == 0 {
		return db.NewList[AssetSummary](nil, page, 0), nil
	}
	var rows []models.Asset
	order := []string{"a.updated_at desc", "a.id"}
	if filter.NamePrefix != "" {
		order = []string{"a.name_key", "a.id"}
	}
	total, err := db.ReadPage(ctx, tx.NewSelect().Model(&rows).Apply(tx.InScope, named(filter.NamePrefix), ofTypes(types)), page, &rows, order...)
	if err != nil {
		return none, fmt.Errorf("list assets: %w", err)
	}
	assets, err := withCurrent(ctx, tx, rows)
	if err != nil {
		return none, err
	}
	return db.NewList(assets, page, total), nil
}

// named keeps names that begin with prefix. The bounds are plain comparisons of text, for which
// the policies allow an index; LIKE would not get one.
func named(prefix string) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		if prefix == "" {
			return q
		}
		key := nameKey(prefix)
		return q.Where("a.name_key >= ?", key).Where("a.name_key < ?", key+"\U0010ffff")
	}
}

func ofTypes(types []string) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		if len(types) == 0 {
			return q
		}
		return q.Where("a.media_type in (?)", bun.List(types))
	}
}

// GetAsset gives an asset with its versions. Errors: not_found.
func GetAsset(ctx context.Context, tx *db.Tx, id ids.ID) (Asset, error) {
	if err := requireReader(tx); err != nil {
		return Asset{}, err
	}
	var row models.Asset
	err := tx.NewSelect().Model(&row).Apply(tx.InScope).Where("a.id = ?", id).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return Asset{}, notFound()
	}
	if err != nil {
		return Asset{}, fmt.Errorf("get asset: %w", err)
	}
	versions, err := versionsOf(ctx, tx, id)
	if err != nil {
		return Asset{}, err
	}
	// The current version is the newest: versions are only added.
	asset := Asset{AssetSummary: summary(row, versions[0]), Versions: make([]Version, 0, len(versions))}
	for _, v := range versions {
		asset.Versions = append(asset.Versions, versionOf(v))
	}
	return asset, nil
}

// FindVersion gives the name of an asset and one of its versions: the current one when
// versionID is none. Errors: not_found.
func FindVersion(ctx context.Context, tx *db.Tx, id, versionID ids.ID) (string, Version, error) {
	if err := requireReader(tx); err != nil {
		return "", Version{}, err
	}
	return findVersion(ctx, tx, id, versionID)
}

// PinnedVersion gives a version of an asset that published content pins. It checks no capability
// itself: the caller knows that the actor is shown the content. Errors: not_found.
func PinnedVersion(ctx context.Context, tx *db.Tx, id, versionID ids.ID) (Version, error) {
	_, version, err := findVersion(ctx, tx, id, versionID)
	return version, err
}

func findVersion(ctx context.Context, tx *db.Tx, id, versionID ids.ID) (string, Version, error) {
	var found struct {
		models.AssetVersion `bun:",extend"`

		Name string `bun:",scanonly"`
	}
	err := tx.NewSelect().Model(&found).ColumnExpr("v.*, a.name").
		Join("join assets a on a.tenant_id = v.tenant_id and a.id = v.asset_id").Apply(tx.InScope).
		Where("a.id = ?", id).
		Where("v.id = coalesce(?::uuid, a.current_id)", ids.Ref(versionID)).Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return "", Version{}, notFound()
	}
	if err != nil {
		return "", Version{}, fmt.Errorf("find version of asset: %w", err)
	}
	return found.Name, versionOf(found.AssetVersion), nil
}

func notFound() error { return errs.New(errs.NotFound, "There is no such asset in your scope.") }

// Named is the current version of an asset, with its name.
type Named struct {
	Name string
	Version
}

// Newest gives the current versions of assets that content shows; one that the scope does not have is absent. It checks no
// capability itself.
func Newest(ctx context.Context, tx *db.Tx, uses []Use) (map[ids.ID]Named, error) {
	found := make(map[ids.ID]Named, len(uses))
	if len(uses) == 0 {
		return found, nil
	}
	wanted := make([]ids.ID, 0, len(uses))
	for _, use := range uses {
		wanted = append(wanted, use.Asset)
	}
	var assets []models.Asset
	err := tx.NewSelect().Model(&assets).Apply(tx.InScope).Where("a.id in (?)", bun.List(wanted)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("find assets that are shown: %w", err)
	}
	all, err := withCurrent(ctx, tx, assets)
	for _, a := range all {
		found[a.ID] = Named{a.Name, a.Current}
	}
	return found, err
}
