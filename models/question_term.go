package models

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// QuestionTerm is a row of question_terms: a term of the newest version of a question.
type QuestionTerm struct {
	bun.BaseModel `bun:"table:question_terms,alias:qt"`

	TenantID   uuid.UUID `bun:",pk,type:uuid"`
	QuestionID uuid.UUID `bun:",pk,type:uuid"`
	TermID     uuid.UUID `bun:",pk,type:uuid"`
	OrgUnitID  uuid.UUID `bun:"type:uuid"`
}
