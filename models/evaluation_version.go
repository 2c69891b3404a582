package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// EvaluationVersion is a row of evaluation_versions. Sections lists id and title of each
// section in order. SnapshotHash is set when, and only when, the version is published.
type EvaluationVersion struct {
	bun.BaseModel `bun:"table:evaluation_versions,alias:v"`

	TenantID     uuid.UUID `bun:",pk,type:uuid"`
	ID           uuid.UUID `bun:",pk,type:uuid"`
	OrgUnitID    uuid.UUID `bun:"type:uuid"`
	EvaluationID uuid.UUID `bun:"type:uuid"`
	Number       int
	Status       string
	Title        string
	Sections     json.RawMessage `bun:"type:jsonb"`
	Settings     json.RawMessage `bun:"type:jsonb"`
	SnapshotHash *string
	CreatedAt    time.Time
	UpdatedAt    time.Time
	PublishedAt  *time.Time
}
