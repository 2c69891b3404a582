package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// Authored has the columns that questions, passages and evaluations share. DraftID names the version
// that is being written, PublishedID the one that is used; at least one of them is set.
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

// Row gives the columns that all kinds share.
func (a *Authored) Row() *Authored { return a }

// AuthoredVersion has the columns that their versions share.
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

// Row gives the columns that the versions of all kinds share.
func (v *AuthoredVersion) Row() *AuthoredVersion { return v }

// AuthoredBody is the content of a version of a question or a passage. ContentHash names
// Body in the canonical form of CanonicalScheme by the hash of HashScheme; Extracts is
// Body's plain text by locale; Pins are the versions that publishing froze with it.
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
