package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The states of a submission.
const (
	SubmissionCompleted = "completed"
	SubmissionVoided    = "voided"
)

// How a submission came about (decisions, section 4).
const (
	CompletionSubmitted        = "submitted"
	CompletionAutoSubmitted    = "auto_submitted"
	CompletionProctorSubmitted = "proctor_submitted"
	CompletionImported         = "imported"
)

// The values of the review workflow (decisions, section 4).
const (
	ApprovalNotRequired      = "not_required"
	ApprovalPendingReview    = "pending_review"
	ApprovalApproved         = "approved"
	ApprovalRejected         = "rejected"
	ApprovalChangesRequested = "changes_requested"
)

// Submission is a row of submissions: the durable record of an attempt. Its id is the id
// of the session. Seed gives again the order in which options were shown.
type Submission struct {
	bun.BaseModel `bun:"table:submissions,alias:s"`

	TenantID            uuid.UUID `bun:",pk,type:uuid"`
	ID                  uuid.UUID `bun:",pk,type:uuid"`
	OrgUnitID           uuid.UUID `bun:"type:uuid"`
	EvaluationID        uuid.UUID `bun:"type:uuid"`
	EvaluationVersionID uuid.UUID `bun:"type:uuid"`
	UserID              uuid.UUID `bun:"type:uuid"`
	SubmittedBy         string
	ActedBy             []string `bun:"type:text[],array"`
	Status              string
	CompletionMethod    string
	StartedAt           time.Time
	CompletedAt         time.Time
	Score               float64 `bun:"type:numeric"`
	MaxScore            float64 `bun:"type:numeric"`
	OutcomeCode         string
	OutcomeLabel        string
	Pending             bool
	AssignmentID        *uuid.UUID `bun:"type:uuid"`
	BatchID             *uuid.UUID `bun:"type:uuid"`
	RunLabel            *string
	SnapshotHash        string
	Seed                int64
	ScoreVersion        int
	ApprovalStatus      string
	RetainUntil         *time.Time
	RetentionBasis      *string
	HoldFlag            bool
	// ErasedAt is when retention took the texts of the submission away.
	ErasedAt *time.Time `bun:",scanonly"`
}
