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

	TenantID    uuid.UUID  `bun:"tenant_id,pk"`
	ID          uuid.UUID  `bun:"id,pk"`
	OrgUnitID   uuid.UUID  `bun:"org_unit_id"`
	ExternalID  *string    `bun:"external_id"`
	Title       string     `bun:"title"`
	Status      string     `bun:"status"`
	DraftID     *uuid.UUID `bun:"draft_id"`
	PublishedID *uuid.UUID `bun:"published_id"`
	CreatedAt   time.Time  `bun:"created_at"`
	UpdatedAt   time.Time  `bun:"updated_at"`
}
