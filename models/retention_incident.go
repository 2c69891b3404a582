package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// RetentionIncident is a row of retention_incidents: something that a sweep did not erase.
type RetentionIncident struct {
	bun.BaseModel `bun:"table:retention_incidents,alias:i"`

	TenantID       uuid.UUID `bun:",pk,type:uuid"`
	ID             uuid.UUID `bun:",pk,type:uuid"`
	EventType      string
	Domain         string
	PolicyID       uuid.UUID `bun:"type:uuid"`
	Cutoff         time.Time
	BlockedReason  string
	CandidateCount int64
	JobID          uuid.UUID `bun:"type:uuid"`
	CreatedAt      time.Time
}
