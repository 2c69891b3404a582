package models

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// RoleCapability says that a role gives a capability.
type RoleCapability struct {
	bun.BaseModel `bun:"table:role_capabilities"`

	TenantID   uuid.UUID `bun:"tenant_id,pk"`
	RoleID     uuid.UUID `bun:"role_id,pk"`
	Capability string    `bun:"capability,pk"`
}
