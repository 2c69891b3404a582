package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Subject is the person or thing that an engagement is about. Its name and metadata stay
// in this row, as the name and metadata of a user stay in the user's row.
type Subject struct {
	bun.BaseModel `bun:"table:subjects,alias:s"`

	TenantID   uuid.UUID      `bun:",pk,type:uuid"`
	ID         uuid.UUID      `bun:",pk,type:uuid"`
	OrgUnitID  uuid.UUID      `bun:"type:uuid"`
	ExternalID string         `bun:"external_id"`
	Name       string         `bun:"name"`
	Kind       string         `bun:"kind"`
	Metadata   map[string]any `bun:"metadata,type:jsonb"`
	CreatedAt  time.Time      `bun:"created_at"`
	UpdatedAt  time.Time      `bun:"updated_at"`
}
