package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Asset is a row of assets. CurrentID names the version that drafts show; MediaType is
// from that version. NameKey is Name in lower case.
type Asset struct {
	bun.BaseModel `bun:"table:assets,alias:a"`

	TenantID  uuid.UUID `bun:"tenant_id,pk"`
	ID        uuid.UUID `bun:"id,pk"`
	OrgUnitID uuid.UUID `bun:"org_unit_id"`
	Name      string    `bun:"name"`
	NameKey   string    `bun:"name_key"`
	MediaType string    `bun:"media_type"`
	CurrentID uuid.UUID `bun:"current_id"`
	CreatedAt time.Time `bun:"created_at"`
	UpdatedAt time.Time `bun:"updated_at"`
}
