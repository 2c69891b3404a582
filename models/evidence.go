package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Where evidence is kept (specification, section 6).
const (
	TierHot  = "HOT"
	TierWarm = "WARM"
	TierCold = "COLD"
)

// The results of a check of evidence; unchecked before the first.
const (
	IntegrityUnchecked = "unchecked"
	IntegrityOK        = "ok"
	IntegrityChanged   = "changed"
	IntegrityMissing   = "missing"
)

// Evidence is a row of evidence: a file about a submission, or about one of its items.
type Evidence struct {
	bun.BaseModel `bun:"table:evidence,alias:e"`

	TenantID         uuid.UUID  `bun:",pk,type:uuid"`
	ID               uuid.UUID  `bun:",pk,type:uuid"`
	OrgUnitID        uuid.UUID  `bun:"type:uuid"`
	SubmissionID     uuid.UUID  `bun:"type:uuid"`
	SubmissionItemID *uuid.UUID `bun:"type:uuid"`
	ItemID           *uuid.UUID `bun:"type:uuid"`
	Kind             string
	MediaType        string
	SizeBytes        int64
	SHA256           string `bun:"sha256"`
	StorageTier      string
	Integrity        string
	CheckedAt        *time.Time
	AddedBy          string
	CreatedAt        time.Time
	VoidReason       *string
	VoidedBy         *string
	VoidedAt         *time.Time
}
