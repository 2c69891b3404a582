package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// AssetVersion is a row of asset_versions. SHA256 names the file in the blob store, in
// hexadecimal; Width and Height are pixels, for images only.
type AssetVersion struct {
	bun.BaseModel `bun:"table:asset_versions,alias:v"`

	TenantID  uuid.UUID `bun:"tenant_id,pk"`
	ID        uuid.UUID `bun:"id,pk"`
	OrgUnitID uuid.UUID `bun:"org_unit_id"`
	AssetID   uuid.UUID `bun:"asset_id"`
	Number    int       `bun:"number"`
	MediaType string    `bun:"media_type"`
	SizeBytes int64     `bun:"size_bytes"`
	SHA256    string    `bun:"sha256"`
	Width     *int      `bun:"width"`
	Height    *int      `bun:"height"`
	CreatedAt time.Time `bun:"created_at"`
}
