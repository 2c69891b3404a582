package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Hold is a row of holds: a hold of a person, or of one submission, including lifted ones.
type Hold struct {
	bun.BaseModel `bun:"table:holds,alias:h"`

	TenantID     uuid.UUID  `bun:",pk,type:uuid"`
	ID           uuid.UUID  `bun:",pk,type:uuid"`
	SubjectID    uuid.UUID  `bun:"type:uuid"`
	SubmissionID *uuid.UUID `bun:"type:uuid"`
	Kind         string
	ReasonCode   string
	Matter       string     // a code; empty: it belongs to none
	ReviewAt     *time.Time // when somebody looks whether it is still needed
	PlacedBy     string
	PlacedAt     time.Time
	LiftedBy     *string
	LiftedAt     *time.Time
}
