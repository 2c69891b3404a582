package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Group is a set of users of one org unit, listed by hand or made by a rule.
type Group struct {
	bun.BaseModel `bun:"table:groups"`

	TenantID    uuid.UUID `bun:"tenant_id,pk"`
	ID          uuid.UUID `bun:"id,pk"`
	OrgUnitID   uuid.UUID `bun:"org_unit_id"`
	Name        string    `bun:"name"`
	Description string    `bun:"description"`
	IsDynamic   bool      `bun:"is_dynamic"`
	// MembershipRule is null for a group that is not dynamic; RuleVersion counts its changes.
	MembershipRule json.RawMessage `bun:"membership_rule,type:jsonb,nullzero"`
	RuleVersion    int             `bun:"rule_version"`
	// JoinToken is the SHA-256 of the token, or null.
	JoinToken      []byte    `bun:"join_token,nullzero"`
	AllowedDomains []string  `bun:"allowed_domains,array"`
	CreatedAt      time.Time `bun:"created_at"`
	UpdatedAt      time.Time `bun:"updated_at"`
}
