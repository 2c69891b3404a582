package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Term is a row of terms. A term with RetiredAt cannot be assigned anew.
type Term struct {
	bun.BaseModel `bun:"table:terms,alias:t"`

	TenantID   uuid.UUID  `bun:"tenant_id,pk"`
	ID         uuid.UUID  `bun:"id,pk"`
	FacetID    uuid.UUID  `bun:"facet_id"`
	Slug       string     `bun:"slug"`
	Label      string     `bun:"label"`
	RetiredAt  *time.Time `bun:"retired_at"`
	MergedInto *uuid.UUID `bun:"merged_into"`
	CreatedAt  time.Time  `bun:"created_at"`
	UpdatedAt  time.Time  `bun:"updated_at"`
}
