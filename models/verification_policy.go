package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// VerificationPolicy is a row of verification_policies: the requirements of a level for an action.
type VerificationPolicy struct {
	bun.BaseModel `bun:"table:verification_policies,alias:p"`

	TenantID              uuid.UUID `bun:"tenant_id,pk"`
	Level                 string    `bun:"level,pk"`
	AppliesTo             string    `bun:"applies_to,pk"`
	RequireContext        bool      `bun:"require_context"`
	RequireStepUp         bool      `bun:"require_step_up"`
	RequiredContextFields []string  `bun:"required_context_fields,array"`
	Methods               []string  `bun:"methods,array"`
	UpdatedAt             time.Time `bun:"updated_at"`
}
