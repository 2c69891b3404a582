package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// Authored is what the rows of questions, passages and evaluations have in common. DraftID names the
// version that is being written, PublishedID the one that is used; either or both are set.
type Authored struct {
	TenantID    uuid.UUID  `bun:"tenant_id,pk"`
	ID          uuid.UUID  `bun:"id,pk"`
	OrgUnitID   uuid.UUID  `bun:"org_unit_id"`
	ExternalID  *string    `bun:"external_id"`
	Status      string     `bun:"status"`
	DraftID     *uuid.UUID `bun:"draft_id"`
	PublishedID *uuid.UUID `bun:"published_id"`
	CreatedAt   time.Time  `bun:"created_at"`
	UpdatedAt   time.Time  `bun:"updated_at"`
}

// Row gives what the rows of all kinds have in common.
func (a *Authored) Row() *Authored { return a }

// AuthoredVersion is what the rows of their versions have in common.
type AuthoredVersion struct {
	TenantID    uuid.UUID  `bun:"tenant_id,pk"`
	ID          uuid.UUID  `bun:"id,pk"`
	OrgUnitID   uuid.UUID  `bun:"org_unit_id"`
	Number      int        `bun:"number"`
	Status      string     `bun:"status"`
	CreatedAt   time.Time  `bun:"created_at"`
	UpdatedAt   time.Time  `bun:"updated_at"`
	PublishedAt *time.Time `bun:"published_at"`
}

// Row gives what the rows of all kinds have in common.
func (v *AuthoredVersion) Row() *AuthoredVersion { return v }

// AuthoredBody is what a version of a question or a passage says. ContentHash names Body in
// the canonical form and by the hash that stand beside it; Extracts is Body's plain text by
// locale; Pins is what publishing froze beside it.
type AuthoredBody struct {
	Body            json.RawMessage `bun:"body"`
	Pins            Pins            `bun:"pins,type:jsonb"`
	Extracts        json.RawMessage `bun:"extracts"`
	ContentHash     string          `bun:"content_hash"`
	CanonicalScheme string          `bun:"canonical_scheme"`
	HashScheme      string          `bun:"hash_scheme"`
}

// Pins are the versions of other things that a published version shows: the passage that
// the question was about, and each asset of its documents. A draft has none.
type Pins struct {
	PassageVersionID *uuid.UUID              `json:"passageVersionId,omitempty"`
	AssetVersions    map[uuid.UUID]uuid.UUID `json:"assetVersions,omitempty"`
}
