package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// EngagementOpen is the state of a new engagement.
const EngagementOpen = "open"

// Engagement is a piece of work, for a subject if SubjectID names one.
type Engagement struct {
	bun.BaseModel `bun:"table:engagements,alias:e"`

	TenantID   uuid.UUID  `bun:",pk,type:uuid"`
	ID         uuid.UUID  `bun:",pk,type:uuid"`
	OrgUnitID  uuid.UUID  `bun:"type:uuid"`
	ExternalID *string    `bun:"external_id"`
	Name       string     `bun:"name"`
	SubjectID  *uuid.UUID `bun:"subject_id,type:uuid"`
	Status     string     `bun:"status"`
	StartsAt   *time.Time `bun:"starts_at"`
	EndsAt     *time.Time `bun:"ends_at"`
	CreatedAt  time.Time  `bun:"created_at"`
	UpdatedAt  time.Time  `bun:"updated_at"`
}
