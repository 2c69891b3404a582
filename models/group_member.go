package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// GroupMember says that a user is in a group. OrgUnitID is that of the group.
type GroupMember struct {
	bun.BaseModel `bun:"table:group_members"`

	TenantID  uuid.UUID `bun:"tenant_id,pk"`
	GroupID   uuid.UUID `bun:"group_id,pk"`
	UserID    uuid.UUID `bun:"user_id,pk"`
	OrgUnitID uuid.UUID `bun:"org_unit_id"`
	AddedAt   time.Time `bun:"added_at"`
}
