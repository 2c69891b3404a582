package media

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// maxName bounds the name of an asset, in characters.
const maxName = 200

// AssetSummary is an asset with its current version, which drafts show.
type AssetSummary struct {
	ID        ids.ID    `json:"id"`
	Name      string    `json:"name" example:"leaf.png"`
	MediaType string    `json:"mediaType" example:"image/png"`
	Current   Version   `json:"current"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Asset is an asset with its versions, the newest first, at most 200 of them.
type Asset struct {
	AssetSummary
	Versions []Version `json:"versions" nullable:"false"`
}

// Version is one state of an asset's file. It never changes.
type Version struct {
	ID        ids.ID    `json:"id"`
	Number    int       `json:"number" example:"1"`
	MediaType string    `json:"mediaType" example:"image/png"`
	SizeBytes int64     `json:"sizeBytes" example:"48213"`
	SHA256    string    `json:"sha256" doc:"Hash of the bytes in hexadecimal; the ETag of the content"`
	Width     *int      `json:"width,omitempty" doc:"Pixels, of an image"`
	Height    *int      `json:"height,omitempty" doc:"Pixels, of an image"`
	CreatedAt time.Time `json:"createdAt"`
}

// CreateAsset records a file that Keep has stored as a new asset. Errors: validation_failed,
// storage_unavailable when the file has been swept meanwhile.
func CreateAsset(ctx context.Context, tx *db.Tx, name string, c Content) (Asset, error) {
	if err := tx.Require(capability.MediaManage); err != nil {
		return Asset{}, err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return Asset{}, err
	}
	name, err = checkName(name)
	if err != nil {
		return Asset{}, err
	}
	rows, versions, err := addAssets(ctx, tx, org, []NewAsset{{ids.New(), name, c}})
	if err != nil {
		return Asset{}, err
	}
	asset := Asset{AssetSummary: summary(rows[0], versions[0]), Versions: []Version{versionOf(versions[0])}}
	return asset, ledger.Append(ctx, tx, event("created", rows[0], versions[0]))
}

// NewAsset is an asset whose id is known before it is created.
type NewAsset struct {
	ID ids.ID
	// Name is turned into a name that an asset may have.
	Name string
	Content
}

// CreateAssets records files that Keep has stored, or Claim has claimed, as new assets. It needs media.manage if there are any.
func CreateAssets(ctx context.Context, tx *db.Tx, made []NewAsset) error {
	if len(made) == 0 {
		return nil
	}
	if err := tx.Require(capability.MediaManage); err != nil {
		return err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return err
	}
	for i := range made {
		made[i].Name = anyName(made[i].Name)
	}
	rows, versions, err := addAssets(ctx, tx, org, made)
	if err != nil {
		return err
	}
	events := make([]ledger.Event, len(rows))
	for i := range rows {
		events[i] = event("created", rows[i], versions[i])
	}
	return ledger.Append(ctx, tx, events...)
}

func addAssets(ctx context.Context, tx *db.Tx, org ids.ID, made []NewAsset) ([]models.Asset, []models.AssetVersion, error) {
	rows, versions := make([]models.Asset, len(made)), make([]models.AssetVersion, len(made))
	for i, m := range made {
		rows[i] = models.Asset{TenantID: tx.Tenant(), ID: m.ID, OrgUnitID: org, Name: m.Name, NameKey: nameKey(m.Name),
			MediaType: m.MediaType, CurrentID: ids.New(), CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
		versions[i] = versionRow(rows[i], 1, m.Content, tx.Now())
	}
	_, err := tx.NewInsert().Model(&rows).Returning("NULL").Exec(ctx)
	if err == nil {
		_, err = tx.NewInsert().Model(&versions).Returning("NULL").Exec(ctx)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("create assets: %w", err)
	}
	return rows, versions, nil
}

// OfContent finds assets of the home org unit whose current versions have these bytes, by their SHA-256 in hexadecimal. It
// checks no capability itself.
func OfContent(ctx context.Context, tx *db.Tx, hashes []string) (map[string]ids.ID, error) {
	found := map[string]ids.ID{}
	if len(hashes) == 0 {
		return found, nil
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `
		select v.sha256, a.id
		from (select * from unnest($3::text[]) u (sha256) offset 0) w
		cross join lateral (select id, asset_id, sha256 from asset_versions
			where tenant_id = $1 and sha256 = w.sha256 and org_unit_id = $2 offset 0) v
		cross join lateral (select id, current_id from assets where tenant_id = $1 and id = v.asset_id offset 0) a
		where a.current_id = v.id
		order by a.id desc`, tx.Tenant(), org, hashes)
	if err != nil {
		return nil, fmt.Errorf("find assets by their bytes: %w", err)
	}
	var hash string
	var id ids.ID
	_, err = pgx.ForEachRow(rows, []any{&hash, &id}, func() error {
		found[hash] = id
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find assets by their bytes: %w", err)
	}
	return found, nil
}

// AddVersion records a file that Keep has stored as the newest version of an asset; drafts
// show it at once, published content keeps the version that it pinned. The kind stays: an
// image remains an image. Errors: not_found, validation_failed, conflict when the current
// version has these bytes already.
func AddVersion(ctx context.Context, tx *db.Tx, id ids.ID, c Content) (Asset, error) {
	if err := tx.Require(capability.MediaManage); err != nil {
		return Asset{}, err
	}
	row, err := lockAsset(ctx, tx, id, "no key update")
	if err != nil {
		return Asset{}, err
	}
	versions, err := versionsOf(ctx, tx, id)
	if err != nil {
		return Asset{}, err
	}
	newest := versions[0]
	if kindOf(newest.MediaType) != kindOf(c.MediaType) {
		return Asset{}, wrong("kind_changed", "a version is of the kind that the asset is, "+kindOf(newest.MediaType))
	}
	if newest.SHA256 == c.SHA256 {
		return Asset{}, errs.New(errs.Conflict, "The current version has these bytes already.").With("versionId", newest.ID)
	}
	row.CurrentID, row.MediaType, row.UpdatedAt = ids.New(), c.MediaType, tx.ChangedAt(row.UpdatedAt)
	version, err := addVersion(ctx, tx, row, newest.Number+1, c)
	if err != nil {
		return Asset{}, err
	}
	_, err = tx.NewUpdate().Model(&row).Column("current_id", "media_type", "updated_at").WherePK().Exec(ctx)
	if err != nil {
		return Asset{}, fmt.Errorf("add version: %w", err)
	}
	err = ledger.Append(ctx, tx, event("version_created", row, version))
	if err != nil {
		return Asset{}, err
	}
	return GetAsset(ctx, tx, id)
}

func addVersion(ctx context.Context, tx *db.Tx, a models.Asset, number int, c Content) (models.AssetVersion, error) {
	row := versionRow(a, number, c, tx.Now())
	_, err := tx.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
	if err != nil {
		return row, fmt.Errorf("add version: %w", err)
	}
	return row, nil
}

func versionRow(a models.Asset, number int, c Content, now time.Time) models.AssetVersion {
	return models.AssetVersion{TenantID: a.TenantID, ID: a.CurrentID, OrgUnitID: a.OrgUnitID, AssetID: a.ID, Number: number,
		MediaType: c.MediaType, SizeBytes: c.SizeBytes, SHA256: c.SHA256, Width: c.Width, Height: c.Height, CreatedAt: now}
}

// anyName makes a name that an asset may have.
func anyName(name string) string {
	name = strings.TrimSpace(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(name, "")))
	if all := []rune(name); len(all) > maxName {
		name = strings.TrimSpace(string(all[:maxName]))
	}
	if name == "" {
		return "picture"
	}
	return name
}

func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxName || strings.ContainsFunc(name, unicode.IsControl) {
		return "", errs.Invalid(errs.Field{Path: "name", Code: "invalid_name", Message: "1 to 200 characters without control characters"})
	}
	return name, nil
}

func nameKey(name string) string { return strings.ToLower(name) }

// kindOf is the first half of a media type.
func kindOf(mediaType string) string {
	kind, _, _ := strings.Cut(mediaType, "/")
	return kind
}

func event(what string, a models.Asset, v models.AssetVersion) ledger.Event {
	return ledger.Event{Type: "asset." + what, SubjectType: "asset", SubjectID: a.ID, OrgUnit: a.OrgUnitID,
		Payload: map[string]any{"versionId": v.ID, "number": v.Number, "sha256": v.SHA256}}
}
