package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Verification is a row of verifications: how a protected action was verified. SubjectID is
// a submission or an evaluation.
type Verification struct {
	bun.BaseModel `bun:"table:verifications,alias:v"`

	TenantID   uuid.UUID         `bun:"tenant_id,pk"`
	SubjectID  uuid.UUID         `bun:"subject_id,pk"`
	ID         uuid.UUID         `bun:"id,pk"`
	OrgUnitID  uuid.UUID         `bun:"org_unit_id"`
	AppliesTo  string            `bun:"applies_to"`
	PolicyRef  string            `bun:"policy_ref"`
	Kind       string            `bun:"kind"`
	Method     *string           `bun:"method"`
	ProofID    *uuid.UUID        `bun:"proof_id"`
	Fields     map[string]string `bun:"fields,type:jsonb"`
	Actor      string            `bun:"actor"`
	VerifiedAt time.Time         `bun:"verified_at"`
}
