package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Finding is a row of findings: what somebody observed about a submission. It never changes.
type Finding struct {
	bun.BaseModel `bun:"table:findings,alias:f"`

	TenantID         uuid.UUID  `bun:",pk,type:uuid"`
	ID               uuid.UUID  `bun:",pk,type:uuid"`
	OrgUnitID        uuid.UUID  `bun:"type:uuid"`
	SubmissionID     uuid.UUID  `bun:"type:uuid"`
	SubmissionItemID *uuid.UUID `bun:"type:uuid"`
	ItemID           *uuid.UUID `bun:"type:uuid"`
	Code             string
	Severity         string
	Detail           string
	DetectedBy       string
	DetectedAt       time.Time
	LedgerEventID    uuid.UUID `bun:"type:uuid"`
}

// ReportFinding is a row of report_findings.
type ReportFinding struct {
	bun.BaseModel `bun:"table:report_findings,alias:f"`

	TenantID         uuid.UUID  `bun:",pk,type:uuid"`
	OrgUnitID        uuid.UUID  `bun:"type:uuid"`
	SubmissionID     uuid.UUID  `bun:",pk,type:uuid"`
	FindingID        uuid.UUID  `bun:",pk,type:uuid"`
	SubmissionItemID *uuid.UUID `bun:"type:uuid"`
	Code             string
	Severity         string
	DetectedAt       time.Time
	LedgerEventID    uuid.UUID `bun:"type:uuid"`
}
