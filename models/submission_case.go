package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The states of a claim or dispute (decisions, section 4).
const (
	CaseOpen      = "open"
	CaseUpheld    = "upheld"
	CaseRejected  = "rejected"
	CaseWithdrawn = "withdrawn"
)

// SubmissionCase is a row of submission_cases: a claim or a dispute.
type SubmissionCase struct {
	bun.BaseModel `bun:"table:submission_cases,alias:c"`

	TenantID     uuid.UUID `bun:",pk,type:uuid"`
	ID           uuid.UUID `bun:",pk,type:uuid"`
	OrgUnitID    uuid.UUID `bun:"type:uuid"`
	SubmissionID uuid.UUID `bun:"type:uuid"`
	Kind         string
	State        string
	Statement    string
	RaisedBy     string
	RaisedAt     time.Time
	DecidedBy    *string
	DecidedAt    *time.Time
	Comment      string
}
