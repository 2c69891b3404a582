package models

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// UserOrgUnit says that a user belongs to an org unit.
type UserOrgUnit struct {
	bun.BaseModel `bun:"table:user_org_units"`

	TenantID  uuid.UUID `bun:"tenant_id,pk"`
	UserID    uuid.UUID `bun:"user_id,pk"`
	OrgUnitID uuid.UUID `bun:"org_unit_id,pk"`
}
