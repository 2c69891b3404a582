package evidence

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Finding is an observation about a submission, or about one of its items.
type Finding struct {
	ID            ids.ID    `json:"id"`
	SubmissionID  ids.ID    `json:"submissionId"`
	Scope         string    `json:"scope" enum:"submission,item"`
	ItemID        *ids.ID   `json:"itemId"`
	Code          string    `json:"code" example:"IDENTITY_MISMATCH"`
	Severity      string    `json:"severity" enum:"info,minor,major,critical"`
	Detail        string    `json:"detail,omitempty"`
	EvidenceIDs   []ids.ID  `json:"evidenceIds" nullable:"false"`
	DetectedBy    string    `json:"detectedBy" doc:"user:<id>, operator:<name> or system:<job>"`
	DetectedAt    time.Time `json:"detectedAt"`
	LedgerEventID ids.ID    `json:"ledger_event_id" doc:"The event finding.detected"`
}

// FindingInput is a new finding.
type FindingInput struct {
	SubmissionID ids.ID   `path:"id" json:"-" noun:"submission"`
	Code         string   `json:"code" maxLength:"64" pattern:"^[A-Z][A-Z0-9_]{0,63}$" example:"IDENTITY_MISMATCH" doc:"Capitals, digits and underscores; goes into reports"`
	Severity     string   `json:"severity" enum:"info,minor,major,critical"`
	ItemID       *ids.ID  `json:"itemId,omitempty" noun:"item" doc:"The item that it is about; without it the whole submission"`
	EvidenceIDs  []ids.ID `json:"evidenceIds,omitempty" noun:"evidence" maxItems:"50" doc:"Evidence of the same submission that shows it"`
	Detail       string   `json:"detail,omitempty" maxLength:"4000" doc:"Free text; kept here, in no report and no event"`
}

func (in *FindingInput) check() error {
	var bad problems
	if !findingCode.MatchString(in.Code) {
		bad.add("code", "invalid_code", "1 to 64 capitals, digits and underscores, the first one a capital")
	}
	bad.oneOf("severity", in.Severity, severities)
	in.EvidenceIDs = bad.named("evidenceIds", in.EvidenceIDs)
	bad = append(bad, errs.Prose("detail", in.Detail, maxDetail, false)...)
	return errs.Invalid(bad...)
}

// Detect records a finding and queues it for the reports. Capability: evidence.manage.
// Errors: not_found, validation_failed.
func Detect(ctx context.Context, tx *db.Tx, in FindingInput) (Finding, error) {
	if err := tx.Require(capability.EvidenceManage); err != nil {
		return Finding{}, err
	}
	if err := in.check(); err != nil {
		return Finding{}, err
	}
	s, err := findWritable(ctx, tx, in.SubmissionID, in.ItemID)
	if err != nil {
		return Finding{}, err
	}
	err = requireEvidence(ctx, tx, s, in.EvidenceIDs)
	if err != nil {
		return Finding{}, err
	}
	row := models.Finding{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: s.org, SubmissionID: s.submission,
		SubmissionItemID: s.submissionItem, ItemID: s.item, Code: in.Code, Severity: in.Severity, Detail: in.Detail,
		DetectedBy: tx.Actor().String(), DetectedAt: tx.Now(), LedgerEventID: ids.New()}
	err = insertFinding(ctx, tx, row, in.EvidenceIDs)
	if err != nil {
		return Finding{}, err
	}
	f := findingOf(row, in.EvidenceIDs)
	return f, ledger.Append(ctx, tx, ledger.Event{ID: row.LedgerEventID, Type: "finding.detected", SubjectType: "finding",
		SubjectID: row.ID, OrgUnit: row.OrgUnitID, Payload: map[string]any{"submissionId": f.SubmissionID, "scope": f.Scope,
			"itemId": f.ItemID, "code": f.Code, "severity": f.Severity, "evidenceIds": f.EvidenceIDs}})
}

// requireEvidence expects evidence of the submission that is not voided.
func requireEvidence(ctx context.Context, tx *db.Tx, s subject, named []ids.ID) error {
	if len(named) == 0 {
		return nil
	}
	var found int
	err := tx.QueryRow(ctx, `
		select count(*) from evidence where tenant_id = $1 and submission_id = $2 and id = any($3) and voided_at is null`,
		tx.Tenant(), s.submission, named).Scan(&found)
	if err != nil {
		return fmt.Errorf("find evidence: %w", err)
	}
	if found != len(named) {
		return errs.Invalid(errs.Field{Path: "evidenceIds", Code: "unknown_evidence",
			Message: "name evidence of this submission that is not voided"})
	}
	return nil
}

func insertFinding(ctx context.Context, tx *db.Tx, row models.Finding, evidence []ids.ID) error {
	_, err := tx.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("record finding: %w", err)
	}
	_, err = tx.Exec(ctx, `
		with queued as (
			insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, '`+models.OutboxFinding+`', $2, $6)
		)
		insert into finding_evidence (tenant_id, finding_id, evidence_id, org_unit_id, submission_id)
		select $1, $2, id, $3, $4 from unnest($5::uuid[]) id returning true`,
		row.TenantID, row.ID, row.OrgUnitID, row.SubmissionID, evidence, tx.Now())
	if err != nil {
		return fmt.Errorf("link and queue finding: %w", err)
	}
	return nil
}

func findingOf(r models.Finding, evidence []ids.ID) Finding {
	if evidence == nil {
		evidence = []ids.ID{}
	}
	return Finding{ID: r.ID, SubmissionID: r.SubmissionID, Scope: scopeOf(r.ItemID), ItemID: r.ItemID, Code: r.Code,
		Severity: r.Severity, Detail: r.Detail, EvidenceIDs: evidence, DetectedBy: r.DetectedBy,
		DetectedAt: r.DetectedAt.UTC(), LedgerEventID: r.LedgerEventID}
}
