package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// VersionSnapshot is a row of version_snapshots: stored once per distinct content, named
// by its hash, never changed.
type VersionSnapshot struct {
	bun.BaseModel `bun:"table:version_snapshots,alias:s"`

	TenantID  uuid.UUID       `bun:",pk,type:uuid"`
	Hash      string          `bun:",pk"`
	OrgUnitID uuid.UUID       `bun:"type:uuid"`
	Content   json.RawMessage `bun:"type:jsonb"`
	CreatedAt time.Time
}
