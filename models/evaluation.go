package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Evaluation is a row of evaluations; its states and version ids are those of a Question.
// Title is the title of the newest version.
type Evaluation struct {
	bun.BaseModel `bun:"table:evaluations,alias:e"`

	TenantID    uuid.UUID `bun:",pk,type:uuid"`
	ID          uuid.UUID `bun:",pk,type:uuid"`
	OrgUnitID   uuid.UUID `bun:"type:uuid"`
	ExternalID  *string
	Title       string
	Status      string
	DraftID     *uuid.UUID `bun:"type:uuid"`
	PublishedID *uuid.UUID `bun:"type:uuid"`
	CreatedAt   time.Time
	UpdatedAt   time.Time
}
