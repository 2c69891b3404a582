package models

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The states of a version. A published one never changes again.
const (
	VersionDraft     = "draft"
	VersionPublished = "published"
)

// QuestionVersion is a row of question_versions.
type QuestionVersion struct {
	bun.BaseModel `bun:"table:question_versions,alias:v"`
	AuthoredVersion
	AuthoredBody

	QuestionID uuid.UUID   `bun:"question_id"`
	QType      string      `bun:"qtype"`
	TermIDs    []uuid.UUID `bun:"term_ids,array,type:uuid[]"`
}
