package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The domains that a facet belongs to.
const (
	DomainContent  = "content"
	DomainSkills   = "skills"
	DomainSubjects = "subjects"
	DomainIdentity = "identity"
)

// Facet is a row of facets: one dimension that terms belong to.
type Facet struct {
	bun.BaseModel `bun:"table:facets,alias:f"`

	TenantID  uuid.UUID `bun:"tenant_id,pk"`
	ID        uuid.UUID `bun:"id,pk"`
	Domain    string    `bun:"domain"`
	Slug      string    `bun:"slug"`
	Label     string    `bun:"label"`
	CreatedAt time.Time `bun:"created_at"`
	UpdatedAt time.Time `bun:"updated_at"`
}
