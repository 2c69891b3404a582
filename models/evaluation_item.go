package models

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// EvaluationItem is a row of evaluation_items. Position counts from 0 over the whole
// evaluation. QuestionVersionID is pinned at publish; Weight overrides the question's.
type EvaluationItem struct {
	bun.BaseModel `bun:"table:evaluation_items,alias:i"`

	TenantID            uuid.UUID `bun:",pk,type:uuid"`
	EvaluationVersionID uuid.UUID `bun:",pk,type:uuid"`
	ID                  uuid.UUID `bun:",pk,type:uuid"`
	OrgUnitID           uuid.UUID `bun:"type:uuid"`
	SectionID           uuid.UUID `bun:"type:uuid"`
	Position            int
	QuestionID          uuid.UUID  `bun:"type:uuid"`
	QuestionVersionID   *uuid.UUID `bun:"type:uuid"`
	Weight              *float64
}
