package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// RetentionPolicy is a row of retention_policies: a version of a domain's policy, never
// changed. Days and Action are both there or both absent.
type RetentionPolicy struct {
	bun.BaseModel `bun:"table:retention_policies,alias:r"`

	TenantID uuid.UUID `bun:"tenant_id,pk"`
	Domain   string    `bun:"domain,pk"`
	Number   int       `bun:"number,pk"`
	ID       uuid.UUID `bun:"id"`
	Days     *int      `bun:"days"`
	Action   *string   `bun:"action"`
	SetBy    string    `bun:"set_by"`
	SetAt    time.Time `bun:"set_at"`
}
