package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// RetentionPolicy is a row of retention_policies: a version of a policy, never
// changed. Days and Action are both there or both absent.
type RetentionPolicy struct {
	bun.BaseModel `bun:"table:retention_policies,alias:r"`

	TenantID       uuid.UUID  `bun:"tenant_id,pk"`
	Domain         string     `bun:"domain,pk"`
	Number         int        `bun:"number,pk"`
	ID             uuid.UUID  `bun:"id"`
	Days           *int       `bun:"days"`
	Action         *string    `bun:"action"`
	EvaluationID   *uuid.UUID `bun:"evaluation_id"`
	Outcome        *string    `bun:"outcome"`
	AssignmentKind *string    `bun:"assignment_kind"`
	// Scope names the three in one text; empty: the policy is of all.
	Scope string    `bun:"scope,pk"`
	SetBy string    `bun:"set_by"`
	SetAt time.Time `bun:"set_at"`
}
