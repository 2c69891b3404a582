package compliance

import (
	"encoding/json"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// JobItem is a compliance job as lists show it (specification, section 2.11, with its time limit).
type JobItem struct {
	ID           ids.ID        `json:"id"`
	JobType      string        `json:"job_type" enum:"forget,restrict,dsar_export,privacy_pack,unlink,retention_sweep"`
	Status       string        `json:"status" enum:"queued,running,completed,failed,blocked"`
	SubjectID    *ids.ID       `json:"subject_id" doc:"The user whom it is about; null for a sweep"`
	RequestedBy  string        `json:"requested_by" doc:"user:<id>, operator:<name> or system:<job>"`
	CreatedAt    time.Time     `json:"created_at"`
	StartedAt    *time.Time    `json:"started_at"`
	CompletedAt  *time.Time    `json:"completed_at"`
	DurationMs   *int64        `json:"duration_ms" doc:"From the start to the end; null before"`
	ArtifactRefs []ArtifactRef `json:"artifact_refs" nullable:"false" doc:"Files that the job made"`
	Partial      bool          `json:"partial" doc:"Something could not be done; the detail of the job says what"`
	Blocked      bool          `json:"blocked" doc:"A hold stands against it"`
	SLADueAt     time.Time     `json:"sla_due_at" doc:"When it ought to be done"`
	SLAState     string        `json:"sla_state" enum:"on_track,at_risk,breached" doc:"at_risk: open, with less than a fifth of the time left; breached: open after its time, or done after it"`
}

// Job is one compliance job with everything there is to say about it. Others build on the item, so new fields go into
// the detail.
type Job struct {
	JobItem
	Detail `json:"detail"`
}

// Detail is what a job says besides the item.
type Detail struct {
	RequestID     *ids.ID          `json:"request_id" doc:"The request that the job carries out; null: somebody asked for it without one"`
	BlockedReason *string          `json:"blocked_reason,omitempty" doc:"The code of what blocks it"`
	ErrorCode     *string          `json:"error_code,omitempty" doc:"Why it failed"`
	Progress      Progress         `json:"progress"`
	Counts        map[string]int64 `json:"counts" nullable:"false" doc:"Rows touched, by table"`
	Result        json.RawMessage  `json:"result" shape:"object" doc:"What a job of this type has to say besides"`
	DryRun        bool             `json:"dryRun,omitempty" doc:"This is what the job would do; nothing was written"`
}

// Progress is how far a job is.
type Progress struct {
	Steps int    `json:"steps" doc:"That ended"`
	Of    int    `json:"of"`
	Step  string `json:"step,omitempty" doc:"The one that is next, or under way"`
	Done  int64  `json:"done" doc:"Within the step"`
	Total *int64 `json:"total" doc:"Null while it is not known"`
}

// ArtifactRef names a file that a job made.
type ArtifactRef struct {
	Name      string     `json:"name"`
	MediaType string     `json:"mediaType"`
	SizeBytes int64      `json:"sizeBytes"`
	SHA256    string     `json:"sha256"`
	ExpiresAt *time.Time `json:"expiresAt" doc:"When it goes; null: never"`
	Available bool       `json:"available" doc:"It has neither expired nor been erased"`
}

// The states of an SLA. A job is at risk when less than a fifth of its time is left.
const (
	onTrack  = "on_track"
	atRisk   = "at_risk"
	breached = "breached"
	margin   = 5
)

func slaOf(row models.ComplianceJob, now time.Time) string {
	at := now
	if row.CompletedAt != nil {
		at = *row.CompletedAt
	}
	left := row.SLADueAt.Sub(at)
	switch {
	case left < 0:
		return breached
	case row.CompletedAt == nil && left < row.SLADueAt.Sub(row.CreatedAt)/margin:
		return atRisk
	}
	return onTrack
}

// itemOf shows a job as lists do.
func itemOf(row models.ComplianceJob, files []models.ComplianceArtifact, now time.Time) JobItem {
	j := JobItem{ID: row.ID, JobType: row.JobType, Status: row.Status, SubjectID: row.SubjectID, RequestedBy: row.RequestedBy,
		CreatedAt: row.CreatedAt.UTC(), StartedAt: db.UTC(row.StartedAt), CompletedAt: db.UTC(row.CompletedAt), ArtifactRefs: []ArtifactRef{},
		Partial: row.Partial, Blocked: row.Status == models.ComplianceBlocked, SLADueAt: row.SLADueAt.UTC(), SLAState: slaOf(row, now)}
	if row.StartedAt != nil && row.CompletedAt != nil {
		j.DurationMs = new(row.CompletedAt.Sub(*row.StartedAt).Milliseconds())
	}
	for _, f := range files {
		j.ArtifactRefs = append(j.ArtifactRefs, refOf(f, now))
	}
	return j
}

// view shows a job with its detail; one whose kind is not known here, as in a part of the programs, has no steps.
func (c *Centre) view(row models.ComplianceJob, files []models.ComplianceArtifact, now time.Time) Job {
	j := Job{itemOf(row, files, now), Detail{RequestID: row.RequestID, BlockedReason: row.BlockedReason, ErrorCode: row.ErrorCode, Counts: row.Counts, Result: row.Result,
		Progress: Progress{Steps: row.Steps, Done: row.DoneN, Total: row.TotalN}}}
	if j.Counts == nil {
		j.Counts = map[string]int64{}
	}
	if k, err := c.kind(row.JobType); err == nil {
		j.Progress.Of = len(k.Steps)
		if row.Steps < len(k.Steps) && row.CompletedAt == nil {
			j.Progress.Step = k.Steps[row.Steps].Name
		}
	}
	return j
}

func refOf(f models.ComplianceArtifact, now time.Time) ArtifactRef {
	return ArtifactRef{Name: f.Name, MediaType: f.MediaType, SizeBytes: f.SizeBytes, SHA256: f.SHA256, ExpiresAt: db.UTC(f.ExpiresAt), Available: held(f, now)}
}

func held(f models.ComplianceArtifact, now time.Time) bool {
	return f.ErasedAt == nil && (f.ExpiresAt == nil || now.Before(*f.ExpiresAt))
}
