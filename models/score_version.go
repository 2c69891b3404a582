package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The reasons for a version of scores.
const (
	ScoreSubmitted           = "submitted"
	ScoreRemediationApplied  = "remediation_applied"
	ScoreRemediationReverted = "remediation_reverted"
	ScoredByPerson           = "scored_by_person"
)

// ScoreVersion is a row of score_versions. Number 1 is the submit.
type ScoreVersion struct {
	bun.BaseModel `bun:"table:score_versions,alias:v"`

	TenantID      uuid.UUID `bun:",pk,type:uuid"`
	SubmissionID  uuid.UUID `bun:",pk,type:uuid"`
	Number        int       `bun:",pk"`
	OrgUnitID     uuid.UUID `bun:"type:uuid"`
	Reason        string
	RemediationID *uuid.UUID `bun:"type:uuid"`
	Actor         string
	Score         float64 `bun:"type:numeric"`
	MaxScore      float64 `bun:"type:numeric"`
	OutcomeCode   string
	OutcomeLabel  string
	CreatedAt     time.Time
}
