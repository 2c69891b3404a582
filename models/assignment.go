package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The kinds of target of an assignment (specification, section 2.12).
const (
	TargetUser       = "user_id"
	TargetEmail      = "email"
	TargetGroup      = "group_id"
	TargetPublicLink = "public_link"
)

// The states of an assignment.
const (
	AssignmentActive = "active"
	AssignmentClosed = "closed"
)

// Assignment hands out an evaluation. TargetRef is the id of a user or group, and null for a
// public link; TokenHash is the SHA-256 of the token that redeems it, if it has one.
type Assignment struct {
	bun.BaseModel `bun:"table:assignments,alias:a"`

	TenantID     uuid.UUID  `bun:",pk,type:uuid"`
	ID           uuid.UUID  `bun:",pk,type:uuid"`
	OrgUnitID    uuid.UUID  `bun:"type:uuid"`
	EvaluationID uuid.UUID  `bun:"type:uuid"`
	TargetType   string     `bun:"target_type"`
	TargetRef    *string    `bun:"target_ref"`
	TokenHash    []byte     `bun:"token_hash"`
	RunLabel     *string    `bun:"run_label"`
	ValidFrom    *time.Time `bun:"valid_from"`
	ValidUntil   *time.Time `bun:"valid_until"`
	BatchID      *uuid.UUID `bun:"batch_id,type:uuid"`
	ScheduleID   *uuid.UUID `bun:"schedule_id,type:uuid"`
	SubjectID    *uuid.UUID `bun:"subject_id,type:uuid"`
	EngagementID *uuid.UUID `bun:"engagement_id,type:uuid"`
	Status       string     `bun:"status"`
	CreatedBy    string     `bun:"created_by"`
	CreatedAt    time.Time  `bun:"created_at"`
	UpdatedAt    time.Time  `bun:"updated_at"`
}
