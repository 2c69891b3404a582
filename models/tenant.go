package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Tenant is a customer: nothing of one tenant is visible to another.
type Tenant struct {
	bun.BaseModel `bun:"table:tenants"`

	ID        uuid.UUID `bun:"id,pk"`
	Slug      string    `bun:"slug"`
	Name      string    `bun:"name"`
	CreatedAt time.Time `bun:"created_at"`
}
