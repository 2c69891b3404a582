package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// SubmissionDecision is a row of submission_decisions.
type SubmissionDecision struct {
	bun.BaseModel `bun:"table:submission_decisions,alias:d"`

	TenantID     uuid.UUID `bun:",pk,type:uuid"`
	SubmissionID uuid.UUID `bun:",pk,type:uuid"`
	ID           uuid.UUID `bun:",pk,type:uuid"`
	OrgUnitID    uuid.UUID `bun:"type:uuid"`
	Decision     string
	Actor        string
	Comment      string
	DecidedAt    time.Time
}
