package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// TenantLocale is a row of tenant_locales: a language that a tenant writes in. Position is
// its place in the list, from 0.
type TenantLocale struct {
	bun.BaseModel `bun:"table:tenant_locales,alias:l"`

	TenantID   uuid.UUID `bun:"tenant_id,pk"`
	Tag        string    `bun:"tag,pk"`
	IsDefault  bool      `bun:"is_default"`
	IsRequired bool      `bun:"is_required"`
	Position   int       `bun:"position"`
	UpdatedAt  time.Time `bun:"updated_at"`
}
