package media

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

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
	row := models.Asset{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: org, Name: name, NameKey: nameKey(name),
		MediaType: c.MediaType, CurrentID: ids.New(), CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	_, err = tx.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
	if err != nil {
		return Asset{}, fmt.Errorf("create asset: %w", err)
	}
	version, err := addVersion(ctx, tx, row, 1, c)
	if err != nil {
		return Asset{}, err
	}
	asset := Asset{AssetSummary: summary(row, version), Versions: []Version{versionOf(version)}}
	return asset, ledger.Append(ctx, tx, event("created", row, version))
}

// AddVersion records a file that Keep has stored as the newest version of an asset; drafts
// show it at once, what is published keeps the version that it pinned. The kind stays: an
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
	row := models.AssetVersion{TenantID: a.TenantID, ID: a.CurrentID, OrgUnitID: a.OrgUnitID, AssetID: a.ID, Number: number,
		MediaType: c.MediaType, SizeBytes: c.SizeBytes, SHA256: c.SHA256, Width: c.Width, Height: c.Height, CreatedAt: tx.Now()}
	_, err := tx.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
	if err != nil {
		return row, fmt.Errorf("add version: %w", err)
	}
	return row, nil
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
