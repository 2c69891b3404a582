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

	TenantID  uuid.UUID `bun:",pk,type:uuid"`
	ID        uuid.UUID `bun:",pk,type:uuid"`
	Domain    string
	Slug      string
	Label     string
	CreatedAt time.Time
	UpdatedAt time.Time
}
