package models

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// QuestionTerm is a row of question_terms: a term of the newest version of a question, of
// its published version, or of both.
type QuestionTerm struct {
	bun.BaseModel `bun:"table:question_terms,alias:qt"`

	TenantID    uuid.UUID `bun:"tenant_id,pk"`
	QuestionID  uuid.UUID `bun:"question_id,pk"`
	TermID      uuid.UUID `bun:"term_id,pk"`
	OrgUnitID   uuid.UUID `bun:"org_unit_id"`
	IsNewest    bool      `bun:"is_newest"`
	IsPublished bool      `bun:"is_published"`
}
