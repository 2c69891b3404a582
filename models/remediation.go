package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The states of a remediation (decisions, section 4).
const (
	RemediationDraft     = "draft"
	RemediationApplying  = "applying"
	RemediationApplied   = "applied"
	RemediationReverting = "reverting"
	RemediationReverted  = "reverted"
	RemediationFailed    = "failed"
)

// Remediation is a row of remediations. Parameters are the parameters of its rule.
type Remediation struct {
	bun.BaseModel `bun:"table:remediations,alias:r"`

	TenantID            uuid.UUID  `bun:",pk,type:uuid"`
	ID                  uuid.UUID  `bun:",pk,type:uuid"`
	OrgUnitID           uuid.UUID  `bun:"type:uuid"`
	EvaluationVersionID *uuid.UUID `bun:"type:uuid"`
	QuestionVersionID   uuid.UUID  `bun:"type:uuid"`
	Rule                string
	Parameters          json.RawMessage `bun:"type:jsonb"`
	Reason              string
	State               string
	AlsoLater           bool
	CreatedBy           string
	StartedBy           *string
	AppliedNumber       *int64
	Reached             *uuid.UUID `bun:"type:uuid"`
	SubmissionsN        int        `bun:"submissions_n"`
	DoneN               int        `bun:"done_n"`
	ChangedN            int        `bun:"changed_n"`
	OpenN               int        `bun:"open_n"`
	CreatedAt           time.Time
	UpdatedAt           time.Time
	SteppedAt           *time.Time
	AppliedAt           *time.Time
	RevertedAt          *time.Time
}
