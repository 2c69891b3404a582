package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Who sees a saved view: its owner, or everybody in the org unit.
const (
	ViewPersonal = "personal"
	ViewShared   = "shared"
)

// InventoryView is a row of inventory_views. OwnerID is the user who saved it; a shared view that an operator saved
// has none.
// Filter is canonical.
type InventoryView struct {
	bun.BaseModel `bun:"table:inventory_views,alias:w"`

	TenantID   uuid.UUID       `bun:"tenant_id,pk"`
	ID         uuid.UUID       `bun:"id,pk"`
	OrgUnitID  uuid.UUID       `bun:"org_unit_id"`
	Kind       string          `bun:"kind"`
	Name       string          `bun:"name"`
	Visibility string          `bun:"visibility"`
	OwnerID    *uuid.UUID      `bun:"owner_id"`
	Filter     json.RawMessage `bun:"filter"`
	CreatedAt  time.Time       `bun:"created_at"`
	UpdatedAt  time.Time       `bun:"updated_at"`
}
