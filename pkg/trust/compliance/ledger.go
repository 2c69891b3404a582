package compliance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// The states of a job in the ledger, the last word of the event type.
const (
	Requested = "requested"
	Completed = models.ComplianceCompleted
	Failed    = models.ComplianceFailed
	Blocked   = models.ComplianceBlocked
)

var states = []string{Requested, Completed, Failed, Blocked}

// Entry is what a job has to tell the ledger. A sweep tells it for each domain.
type Entry struct {
	State        string
	Domain       string
	PolicyID     ids.ID
	Cutoff       *time.Time
	Counts       map[string]int64
	ArtifactHash string
}

// LedgerEntry is a row of the compliance ledger (specification, section 2.11).
type LedgerEntry struct {
	ID           ids.ID           `json:"id"`
	EventType    string           `json:"event_type" example:"forget.completed" doc:"<job type>.requested, .completed, .failed or .blocked"`
	SubjectID    *ids.ID          `json:"subject_id"`
	Domain       *string          `json:"domain" doc:"Of a sweep"`
	PolicyID     *ids.ID          `json:"policy_id" doc:"The retention policy that a sweep carried out"`
	Cutoff       *time.Time       `json:"cutoff" doc:"What was older was swept"`
	Counts       map[string]int64 `json:"counts" nullable:"false" doc:"Rows touched, by table"`
	ArtifactHash *string          `json:"artifact_hash" doc:"SHA-256 of the export or receipt"`
	CreatedAt    time.Time        `json:"created_at"`
}

// Record writes a row of the compliance ledger, and the event that says the same in the event ledger.
// If the row is there already, it writes nothing: a step that runs again tells nothing twice.
func Record(ctx context.Context, tx *db.Tx, job models.ComplianceJob, e Entry) error {
	row := models.ComplianceEntry{TenantID: tx.Tenant(), ID: ids.New(), EventType: job.JobType + "." + e.State, SubjectID: job.SubjectID, JobID: job.ID,
		PolicyID: ids.Ref(e.PolicyID), Cutoff: e.Cutoff, Counts: e.Counts, CreatedAt: tx.Now()}
	// With its arguments a job can be done again after a backup was restored; they are ids and codes.
	payload := map[string]any{"jobId": job.ID}
	if len(job.Arguments) > len("{}") {
		payload["arguments"] = job.Arguments
	}
	if e.Domain != "" {
		row.Domain, payload["domain"] = &e.Domain, e.Domain
	}
	if e.ArtifactHash != "" {
		row.ArtifactHash, payload["artifactHash"] = &e.ArtifactHash, e.ArtifactHash
	}
	if e.PolicyID != ids.None {
		payload["policyId"] = e.PolicyID
	}
	if e.Cutoff != nil {
		payload["cutoff"] = e.Cutoff.UTC()
	}
	if row.Counts == nil {
		row.Counts = map[string]int64{}
	}
	if len(row.Counts) > 0 {
		payload["counts"] = row.Counts
	}
	done, err := tx.NewInsert().Model(&row).On("conflict do nothing").Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("write compliance ledger: %w", err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return err
	}
	event := ledger.Event{ID: row.ID, Type: row.EventType, SubjectType: "tenant", SubjectID: tx.Tenant(), Payload: payload}
	if job.SubjectID != nil {
		event.SubjectType, event.SubjectID = "user", *job.SubjectID
	}
	return ledger.Append(ctx, tx, event)
}

// LedgerFilter chooses entries.
type LedgerFilter struct {
	EventType string
	SubjectID ids.ID
	db.Page
}

// EventTypes lists what the ledger can say.
func EventTypes() []string {
	var all []string
	for _, t := range Types {
		for _, s := range states {
			all = append(all, t+"."+s)
		}
	}
	return all
}

// ListLedger gives the entries of the tenant, newest first. Capability: compliance.read, over the whole
// tenant. Errors: forbidden, validation_failed.
func ListLedger(ctx context.Context, tx *db.Tx, f LedgerFilter) (db.List[LedgerEntry], error) {
	var none db.List[LedgerEntry]
	if err := RequireReader(tx); err != nil {
		return none, err
	}
	page, err := f.Page.Check()
	if err != nil {
		return none, err
	}
	if f.EventType != "" && !slices.Contains(EventTypes(), f.EventType) {
		return none, errs.Invalid(errs.Field{Path: "eventType", Code: "out_of_range", Message: "there is no such event type"})
	}
	var rows []models.ComplianceEntry
	query := tx.NewSelect().Model(&rows).Where("l.tenant_id = ?", tx.Tenant())
	if f.EventType != "" {
		query = query.Where("l.event_type = ?", f.EventType)
	}
	if f.SubjectID != ids.None {
		query = query.Where("l.subject_id = ?", f.SubjectID)
	}
	total, err := db.ReadPage(ctx, query, page, &rows, "l.created_at desc", "l.id desc")
	if err != nil {
		return none, fmt.Errorf("list compliance ledger: %w", err)
	}
	items := make([]LedgerEntry, 0, len(rows))
	for _, r := range rows {
		items = append(items, LedgerEntry{ID: r.ID, EventType: r.EventType, SubjectID: r.SubjectID, Domain: r.Domain, PolicyID: r.PolicyID,
			Cutoff: db.UTC(r.Cutoff), Counts: r.Counts, ArtifactHash: r.ArtifactHash, CreatedAt: r.CreatedAt.UTC()})
	}
	return db.NewList(items, page, total), nil
}

// RequireReader lets users who may read or manage jobs, requests and their ledger see them, over the whole tenant.
func RequireReader(tx *db.Tx) error {
	if !tx.Can(capability.ComplianceManage) {
		if err := tx.Require(capability.ComplianceRead); err != nil {
			return err
		}
	}
	return requireWhole(tx)
}
