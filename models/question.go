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

	TenantID    uuid.UUID `bun:",pk,type:uuid"`
	ID          uuid.UUID `bun:",pk,type:uuid"`
	OrgUnitID   uuid.UUID `bun:"type:uuid"`
	ExternalID  *string
	Status      string
	DraftID     *uuid.UUID `bun:"type:uuid"`
	PublishedID *uuid.UUID `bun:"type:uuid"`
	CreatedAt   time.Time
	UpdatedAt   time.Time
}
