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

	TenantID        uuid.UUID       `bun:"tenant_id,pk"`
	ID              uuid.UUID       `bun:"id,pk"`
	OrgUnitID       uuid.UUID       `bun:"org_unit_id"`
	QuestionID      uuid.UUID       `bun:"question_id"`
	Number          int             `bun:"number"`
	Status          string          `bun:"status"`
	QType           string          `bun:"qtype"`
	Body            json.RawMessage `bun:"body"`
	TermIDs         []uuid.UUID     `bun:"term_ids,array,type:uuid[]"`
	Extracts        json.RawMessage `bun:"extracts"`
	ContentHash     string          `bun:"content_hash"`
	CanonicalScheme string          `bun:"canonical_scheme"`
	HashScheme      string          `bun:"hash_scheme"`
	CreatedAt       time.Time       `bun:"created_at"`
	UpdatedAt       time.Time       `bun:"updated_at"`
	PublishedAt     *time.Time      `bun:"published_at"`
}
