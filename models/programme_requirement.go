package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// RequirementActive is the state of a new programme requirement.
const RequirementActive = "active"

// ProgrammeRequirement says that a programme requires an evaluation.
type ProgrammeRequirement struct {
	bun.BaseModel `bun:"table:programme_requirements,alias:r"`

	TenantID     uuid.UUID `bun:",pk,type:uuid"`
	ID           uuid.UUID `bun:",pk,type:uuid"`
	OrgUnitID    uuid.UUID `bun:"type:uuid"`
	ExternalID   *string   `bun:"external_id"`
	Programme    string    `bun:"programme"`
	Name         string    `bun:"name"`
	EvaluationID uuid.UUID `bun:"evaluation_id,type:uuid"`
	Status       string    `bun:"status"`
	CreatedAt    time.Time `bun:"created_at"`
	UpdatedAt    time.Time `bun:"updated_at"`
}
