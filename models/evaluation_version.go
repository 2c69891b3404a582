package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// EvaluationVersion is a row of evaluation_versions. Sections lists id, title and time
// limit of each section in order; TermIDs are terms of the content domain. SnapshotHash is set when, and only when, the version is published.
type EvaluationVersion struct {
	bun.BaseModel `bun:"table:evaluation_versions,alias:v"`

	TenantID     uuid.UUID       `bun:"tenant_id,pk"`
	ID           uuid.UUID       `bun:"id,pk"`
	OrgUnitID    uuid.UUID       `bun:"org_unit_id"`
	EvaluationID uuid.UUID       `bun:"evaluation_id"`
	Number       int             `bun:"number"`
	Status       string          `bun:"status"`
	Title        string          `bun:"title"`
	Sections     json.RawMessage `bun:"sections"`
	Settings     json.RawMessage `bun:"settings"`
	TermIDs      []uuid.UUID     `bun:"term_ids,array"`
	SnapshotHash *string         `bun:"snapshot_hash"`
	CreatedAt    time.Time       `bun:"created_at"`
	UpdatedAt    time.Time       `bun:"updated_at"`
	PublishedAt  *time.Time      `bun:"published_at"`
}
