package models

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// PassageVersion is a row of passage_versions. Body is the content document.
type PassageVersion struct {
	bun.BaseModel `bun:"table:passage_versions,alias:v"`
	AuthoredVersion
	AuthoredBody

	PassageID uuid.UUID `bun:"passage_id"`
	Title     string    `bun:"title"`
}
