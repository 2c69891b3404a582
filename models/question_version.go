package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The states of a version. A published one never changes again.
const (
	VersionDraft     = "draft"
	VersionPublished = "published"
)

// QuestionVersion is a row of question_versions. ContentHash names Body in the canonical
// form and by the hash that stand beside it; Extracts is Body's plain text by locale.
type QuestionVersion struct {
	bun.BaseModel `bun:"table:question_versions,alias:v"`

	TenantID        uuid.UUID `bun:",pk,type:uuid"`
	ID              uuid.UUID `bun:",pk,type:uuid"`
	OrgUnitID       uuid.UUID `bun:"type:uuid"`
	QuestionID      uuid.UUID `bun:"type:uuid"`
	Number          int
	Status          string
	QType           string          `bun:"qtype"`
	Body            json.RawMessage `bun:"type:jsonb"`
	TermIDs         []uuid.UUID     `bun:",array,type:uuid[]"`
	Extracts        json.RawMessage `bun:"type:jsonb"`
	ContentHash     string
	CanonicalScheme string
	HashScheme      string
	CreatedAt       time.Time
	UpdatedAt       time.Time
	PublishedAt     *time.Time
}
