package models

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// EvaluationItem is a row of evaluation_items. Position counts from 0 over the whole
// evaluation. QuestionVersionID is pinned at publish; Weight overrides the question's.
type EvaluationItem struct {
	bun.BaseModel `bun:"table:evaluation_items,alias:i"`

	TenantID            uuid.UUID  `bun:"tenant_id,pk"`
	EvaluationVersionID uuid.UUID  `bun:"evaluation_version_id,pk"`
	ID                  uuid.UUID  `bun:"id,pk"`
	OrgUnitID           uuid.UUID  `bun:"org_unit_id"`
	SectionID           uuid.UUID  `bun:"section_id"`
	Position            int        `bun:"position"`
	QuestionID          uuid.UUID  `bun:"question_id"`
	QuestionVersionID   *uuid.UUID `bun:",scanonly"`
	Weight              *float64   `bun:"weight"`
}
