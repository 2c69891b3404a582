package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The states of a compliance job (decisions, section 6).
const (
	ComplianceQueued    = "queued"
	ComplianceRunning   = "running"
	ComplianceCompleted = "completed"
	ComplianceFailed    = "failed"
	ComplianceBlocked   = "blocked"
)

// ComplianceJob is a row of compliance_jobs.
type ComplianceJob struct {
	bun.BaseModel `bun:"table:compliance_jobs,alias:j"`

	TenantID      uuid.UUID `bun:",pk,type:uuid"`
	ID            uuid.UUID `bun:",pk,type:uuid"`
	JobType       string
	Status        string
	SubjectID     *uuid.UUID `bun:"type:uuid"`
	RequestedBy   string
	Arguments     json.RawMessage  `bun:"type:jsonb"`
	Steps         int              // that ended
	DoneN         int64            `bun:"done_n"`
	TotalN        *int64           `bun:"total_n"`
	Counts        map[string]int64 `bun:"type:jsonb"`
	Result        json.RawMessage  `bun:"type:jsonb"`
	Partial       bool
	BlockedReason *string
	ErrorCode     *string
	Sealed        []byte
	SLADueAt      time.Time `bun:"sla_due_at"`
	CreatedAt     time.Time
	StartedAt     *time.Time
	SteppedAt     time.Time
	CompletedAt   *time.Time
}

// ComplianceEntry is a row of compliance_ledger.
type ComplianceEntry struct {
	bun.BaseModel `bun:"table:compliance_ledger,alias:l"`

	TenantID     uuid.UUID `bun:",pk,type:uuid"`
	ID           uuid.UUID `bun:",pk,type:uuid"`
	EventType    string
	SubjectID    *uuid.UUID `bun:"type:uuid"`
	JobID        uuid.UUID  `bun:"type:uuid"`
	Domain       *string
	PolicyID     *uuid.UUID `bun:"type:uuid"`
	Cutoff       *time.Time
	Counts       map[string]int64 `bun:"type:jsonb"`
	ArtifactHash *string
	CreatedAt    time.Time
}

// ComplianceArtifact is a row of compliance_artifacts.
type ComplianceArtifact struct {
	bun.BaseModel `bun:"table:compliance_artifacts,alias:a"`

	TenantID  uuid.UUID `bun:",pk,type:uuid"`
	JobID     uuid.UUID `bun:",pk,type:uuid"`
	Name      string    `bun:",pk"`
	MediaType string
	SizeBytes int64
	SHA256    string `bun:"sha256"`
	CreatedAt time.Time
	ExpiresAt *time.Time
	ErasedAt  *time.Time
}
