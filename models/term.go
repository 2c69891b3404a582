package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Term is a row of terms. A term with RetiredAt cannot be assigned anew.
type Term struct {
	bun.BaseModel `bun:"table:terms,alias:t"`

	TenantID  uuid.UUID `bun:",pk,type:uuid"`
	ID        uuid.UUID `bun:",pk,type:uuid"`
	FacetID   uuid.UUID `bun:"type:uuid"`
	Slug      string
	Label     string
	RetiredAt *time.Time
	CreatedAt time.Time
	UpdatedAt time.Time
}
