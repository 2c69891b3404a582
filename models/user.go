package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The states of a user. An invited user was named by address in an assignment and has
// neither org unit nor role before it is redeemed.
const (
	UserInvited     = "invited"
	UserActive      = "active"
	UserDeactivated = "deactivated"
)

// User is the only record that holds a name, an e-mail address or metadata.
type User struct {
	bun.BaseModel `bun:"table:users"`

	TenantID uuid.UUID `bun:"tenant_id,pk"`
	ID       uuid.UUID `bun:"id,pk"`
	// Email is empty for people without an address.
	Email string `bun:"email,nullzero"`
	// EmailKey is the address in canonical, case-folded form; unique in the tenant.
	EmailKey  string         `bun:"email_key,nullzero"`
	Name      string         `bun:"name"`
	Metadata  map[string]any `bun:"metadata,type:jsonb"`
	Status    string         `bun:"status"`
	CreatedAt time.Time      `bun:"created_at"`
	UpdatedAt time.Time      `bun:"updated_at"`
}
