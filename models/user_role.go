package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// UserRole says that a user holds a role.
type UserRole struct {
	bun.BaseModel `bun:"table:user_roles"`

	TenantID  uuid.UUID `bun:"tenant_id,pk"`
	UserID    uuid.UUID `bun:"user_id,pk"`
	RoleID    uuid.UUID `bun:"role_id,pk"`
	GrantedAt time.Time `bun:"granted_at"`
}
