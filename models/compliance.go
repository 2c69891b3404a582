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
	RequestID     *uuid.UUID `bun:"type:uuid"` // that the job carries out
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

// ComplianceRequest is a row of compliance_requests.
type ComplianceRequest struct {
	bun.BaseModel `bun:"table:compliance_requests,alias:r"`

	TenantID        uuid.UUID `bun:",pk,type:uuid"`
	ID              uuid.UUID `bun:",pk,type:uuid"`
	Kind            string
	Channel         string
	State           string
	SubjectID       *uuid.UUID `bun:"type:uuid"`
	ReceivedAt      time.Time
	ClockFrom       time.Time
	DueAt           time.Time
	IdentityAskedAt *time.Time // the clock is stopped while it is set
	Identity        *string
	ExtendedAt      *time.Time
	ExtensionReason *string
	Decision        *string
	ReasonCode      *string
	DecidedBy       *string
	DecidedAt       *time.Time
	ContestedAt     *time.Time
	RefusedBy       *string    // who refused it before it was contested
	NotBefore       *time.Time // an erasure begins no earlier
	CarriedOutAt    *time.Time
	EndedAt         *time.Time
	RecordedBy      string
	CreatedAt       time.Time
	Locale          string // of letters; empty: the tenant's locale
	ChangesN        int    `bun:"changes_n"`
}

// ComplianceRequestChange is a row of compliance_request_changes.
type ComplianceRequestChange struct {
	bun.BaseModel `bun:"table:compliance_request_changes,alias:c"`

	TenantID  uuid.UUID `bun:",pk,type:uuid"`
	RequestID uuid.UUID `bun:",pk,type:uuid"`
	Number    int       `bun:",pk"`
	Change    string
	State     string
	Code      *string
	JobID     *uuid.UUID `bun:"type:uuid"`
	Actor     string
	EventID   uuid.UUID `bun:"type:uuid"`
	At        time.Time
}

// DataRecipient is a row of data_recipients.
type DataRecipient struct {
	bun.BaseModel `bun:"table:data_recipients,alias:d"`

	TenantID  uuid.UUID `bun:",pk,type:uuid"`
	ID        uuid.UUID `bun:",pk,type:uuid"`
	Name      string
	Role      string
	Purpose   string
	Gets      string
	Contact   string
	WebhookID *uuid.UUID `bun:"type:uuid"`
	CreatedBy string
	CreatedAt time.Time
	EndedAt   *time.Time
}

// RecipientTask is a row of recipient_tasks, with the name of the recipient where it was joined.
type RecipientTask struct {
	bun.BaseModel `bun:"table:recipient_tasks,alias:k"`

	TenantID    uuid.UUID `bun:",pk,type:uuid"`
	ID          uuid.UUID `bun:",pk,type:uuid"`
	RequestID   uuid.UUID `bun:"type:uuid"`
	RecipientID uuid.UUID `bun:"type:uuid"`
	Recipient   string    `bun:",scanonly"`
	Way         string
	State       string
	ReasonCode  *string
	Reminders   int
	ToldAt      *time.Time
	RemindAt    *time.Time
	ClosedBy    *string
	ClosedAt    *time.Time
	CreatedAt   time.Time
}

// ResidueFinding is a row of residue_findings.
type ResidueFinding struct {
	bun.BaseModel `bun:"table:residue_findings,alias:f"`

	TenantID   uuid.UUID `bun:",pk,type:uuid"`
	ID         uuid.UUID `bun:",pk,type:uuid"`
	JobID      uuid.UUID `bun:"type:uuid"`
	Number     int
	TableName  string
	ColumnName string
	RowKey     string
	Kind       string
	Form       string
	Verdict    string
	Decision   *string
	ReasonCode *string
	DecidedBy  *string
	DecidedAt  *time.Time
}
