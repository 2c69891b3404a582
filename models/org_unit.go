package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// OrgUnit is a part of a tenant. Org units are flat.
type OrgUnit struct {
	bun.BaseModel `bun:"table:org_units"`

	TenantID  uuid.UUID `bun:"tenant_id,pk"`
	ID        uuid.UUID `bun:"id,pk"`
	Slug      string    `bun:"slug"`
	Name      string    `bun:"name"`
	CreatedAt time.Time `bun:"created_at"`
}
