package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The states of a question or an evaluation. Draft means that nothing was published yet.
const (
	AuthoringDraft     = "draft"
	AuthoringPublished = "published"
	AuthoringArchived  = "archived"
)

// Question is a row of questions. DraftID names the version that is being written,
// PublishedID the one that new evaluations pin; either or both are set.
type Question struct {
	bun.BaseModel `bun:"table:questions,alias:q"`

	TenantID    uuid.UUID  `bun:"tenant_id,pk"`
	ID          uuid.UUID  `bun:"id,pk"`
	OrgUnitID   uuid.UUID  `bun:"org_unit_id"`
	ExternalID  *string    `bun:"external_id"`
	Status      string     `bun:"status"`
	DraftID     *uuid.UUID `bun:"draft_id"`
	PublishedID *uuid.UUID `bun:"published_id"`
	CreatedAt   time.Time  `bun:"created_at"`
	UpdatedAt   time.Time  `bun:"updated_at"`
}
