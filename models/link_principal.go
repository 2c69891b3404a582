package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The evidence that the glass box of a link shows.
const (
	EvidenceNone   = "none"
	EvidenceHashes = "hashes"
	EvidenceFiles  = "files"
)

// LinkPrincipal is a row of link_principals: somebody without an account who reads one submission, or one
// report with its filters. The other of the two is empty.
type LinkPrincipal struct {
	bun.BaseModel `bun:"table:link_principals,alias:l"`

	TenantID                uuid.UUID       `bun:",pk,type:uuid"`
	ID                      uuid.UUID       `bun:",pk,type:uuid"`
	OrgUnitID               uuid.UUID       `bun:"type:uuid"`
	SubmissionID            uuid.UUID       `bun:"type:uuid,nullzero"`
	Report                  json.RawMessage `bun:"type:jsonb,nullzero"`
	CanViewReadinessReasons bool
	IncludeEvidence         string
	CreatedBy               string
	CreatedAt               time.Time
	ExpiresAt               time.Time
	RevokedBy               *string
	RevokedAt               *time.Time
	Uses                    int64
	LastUsedAt              *time.Time
	// CodeHash is the SHA-256 of the code that leads a browser to the page, BrowserHash the SHA-256
	// of the secret of the browser that brought the code.
	CodeHash    []byte
	BrowserHash []byte
	OpenedAt    *time.Time
}
