package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// SubmissionItem is a row of submission_items: one item as it was scored at submit.
// Position is the place at which the person saw it, from 0.
type SubmissionItem struct {
	bun.BaseModel `bun:"table:submission_items,alias:i"`

	TenantID          uuid.UUID `bun:",pk,type:uuid"`
	SubmissionID      uuid.UUID `bun:",pk,type:uuid"`
	ID                uuid.UUID `bun:",pk,type:uuid"`
	OrgUnitID         uuid.UUID `bun:"type:uuid"`
	ItemID            uuid.UUID `bun:"type:uuid"`
	QuestionVersionID uuid.UUID `bun:"type:uuid"`
	Position          int
	QType             string          `bun:"qtype"`
	Response          json.RawMessage `bun:"type:jsonb"`
	ScoreStatus       string
	ScoreMethod       string
	Score             float64 `bun:"type:numeric"`
	MaxScore          float64 `bun:"type:numeric"`
	IsCorrect         bool
	IsOmitted         bool
	OmitReason        *string
	InvalidCode       *string
	CorrectSelected   int
	IncorrectSelected int
	TotalCorrect      int
	// RightParts are the right gaps, their ids joined by "+"; nil for none.
	RightParts  *string
	TimeSpentMs *int64
	StartedAt   *time.Time
	AnsweredAt  *time.Time
}
