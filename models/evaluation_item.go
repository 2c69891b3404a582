package models

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// EvaluationItem is a row of evaluation_items. Position counts from 0 over the whole
// evaluation. One of QuestionID, PassageID and DrawCount is set: a fixed question, a passage
// with its questions, or a draw of DrawCount questions that carry all of DrawTerms and none
// of DrawExclude. Weight replaces the weight of each question of the item.
type EvaluationItem struct {
	bun.BaseModel `bun:"table:evaluation_items,alias:i"`

	TenantID            uuid.UUID   `bun:"tenant_id,pk"`
	EvaluationVersionID uuid.UUID   `bun:"evaluation_version_id,pk"`
	ID                  uuid.UUID   `bun:"id,pk"`
	OrgUnitID           uuid.UUID   `bun:"org_unit_id"`
	SectionID           uuid.UUID   `bun:"section_id"`
	Position            int         `bun:"position"`
	QuestionID          *uuid.UUID  `bun:"question_id"`
	PassageID           *uuid.UUID  `bun:"passage_id"`
	DrawCount           *int        `bun:"draw_count"`
	DrawTerms           []uuid.UUID `bun:"draw_terms,array"`
	DrawExclude         []uuid.UUID `bun:"draw_exclude,array"`
	QuestionVersionID   *uuid.UUID  `bun:",scanonly"`
	Weight              *float64    `bun:"weight"`
}
