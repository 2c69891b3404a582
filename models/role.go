package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Role is a named set of capabilities.
type Role struct {
	bun.BaseModel `bun:"table:roles"`

	TenantID uuid.UUID `bun:"tenant_id,pk"`
	ID       uuid.UUID `bun:"id,pk"`
	// SystemKey names the system role that the row is; nil for the tenant's own roles.
	SystemKey   *string   `bun:"system_key"`
	Name        string    `bun:"name"`
	Description string    `bun:"description"`
	CreatedAt   time.Time `bun:"created_at"`
	UpdatedAt   time.Time `bun:"updated_at"`
}
