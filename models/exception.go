package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The states of a row of the exceptions queue (specification, section 2.10).
const (
	ExceptionOpen         = "open"
	ExceptionAcknowledged = "acknowledged"
	ExceptionResolved     = "resolved"
)

// Exception is a row of defensibility_exception_triage: the state of a submission, and what
// people decide about it.
type Exception struct {
	bun.BaseModel `bun:"table:defensibility_exception_triage,alias:e"`

	TenantID        uuid.UUID  `bun:",pk,type:uuid"`
	SubmissionID    uuid.UUID  `bun:",pk,type:uuid"`
	OrgUnitID       uuid.UUID  `bun:"type:uuid"`
	EvaluationID    uuid.UUID  `bun:"type:uuid"`
	UserID          uuid.UUID  `bun:"type:uuid"`
	EngagementID    *uuid.UUID `bun:"type:uuid"`
	CompletedAt     time.Time
	IsActive        bool
	ReadinessState  string
	Reasons         []string `bun:"type:text[],array"`
	State           string
	OwnerUserID     *uuid.UUID `bun:"type:uuid"`
	SuppressedUntil *time.Time
	FirstSeenAt     *time.Time
	LastSeenAt      *time.Time
	UpdatedAt       time.Time
}
