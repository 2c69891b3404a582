package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// ReportJob is a row of report_jobs: reporting maintenance that somebody requested.
type ReportJob struct {
	bun.BaseModel `bun:"table:report_jobs,alias:j"`

	TenantID uuid.UUID `bun:"tenant_id,pk"`
	ID       uuid.UUID `bun:"id,pk"`
	// OrgUnitID is nil for a job over all org units.
	OrgUnitID   *uuid.UUID      `bun:"org_unit_id"`
	Kind        string          `bun:"kind"`
	State       string          `bun:"state"`
	Arguments   json.RawMessage `bun:"arguments,type:jsonb"`
	RequestedBy *uuid.UUID      `bun:"requested_by"`
	TotalN      *int64          `bun:"total_n"`
	DoneN       int64           `bun:"done_n"`
	LastSubject uuid.UUID       `bun:"last_subject"`
	ErrorCode   *string         `bun:"error_code"`
	// Result is what the job found out, if it had to find something out.
	Result     json.RawMessage `bun:"result,type:jsonb,nullzero"`
	CreatedAt  time.Time       `bun:"created_at"`
	StartedAt  *time.Time      `bun:"started_at"`
	FinishedAt *time.Time      `bun:"finished_at"`
}

// The states of a report job.
const (
	ReportJobQueued    = "queued"
	ReportJobRunning   = "running"
	ReportJobCompleted = "completed"
	ReportJobFailed    = "failed"
)
