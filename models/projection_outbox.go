package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// What an outbox row asks the projector to look at.
const (
	OutboxSession    = "session"
	OutboxSubmission = "submission"
	OutboxFinding    = "finding"
	OutboxAssignment = "assignment"
	OutboxKey        = "key"
)

// ProjectionOutbox is a row of projection_outbox: work for the projector, written in the
// transaction of its cause.
type ProjectionOutbox struct {
	bun.BaseModel `bun:"table:projection_outbox,alias:o"`

	TenantID   uuid.UUID `bun:",pk,type:uuid"`
	ID         int64     `bun:",pk,autoincrement"`
	Kind       string
	SubjectID  uuid.UUID `bun:"type:uuid"`
	EnqueuedAt time.Time
}
