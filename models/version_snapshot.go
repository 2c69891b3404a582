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

	TenantID  uuid.UUID       `bun:"tenant_id,pk"`
	Hash      string          `bun:"hash,pk"`
	OrgUnitID uuid.UUID       `bun:"org_unit_id"`
	Content   json.RawMessage `bun:"content"`
	CreatedAt time.Time       `bun:"created_at"`

	// Title, Settings and FeedbackTags are parts of Content that lists read without it.
	Title        string          `bun:"title,scanonly"`
	Settings     json.RawMessage `bun:"settings,scanonly"`
	FeedbackTags json.RawMessage `bun:"feedback_tags,scanonly"`
}
