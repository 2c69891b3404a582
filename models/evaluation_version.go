package models

import (
	"encoding/json"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// EvaluationVersion is a row of evaluation_versions. Sections lists id, title and time limit
// of each section in order; TermIDs are terms of the content domain. SnapshotHash is set when,
// and only when, the version is published. Items are rows of their own, in order.
type EvaluationVersion struct {
	bun.BaseModel `bun:"table:evaluation_versions,alias:v"`
	AuthoredVersion

	EvaluationID uuid.UUID        `bun:"evaluation_id"`
	Title        string           `bun:"title"`
	Sections     json.RawMessage  `bun:"sections"`
	Settings     json.RawMessage  `bun:"settings"`
	TermIDs      []uuid.UUID      `bun:"term_ids,array,type:uuid[]"`
	SnapshotHash *string          `bun:"snapshot_hash"`
	Items        []EvaluationItem `bun:"-"`
}
