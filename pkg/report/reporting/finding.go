package reporting

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// Finding is an observation finding, as claims and disputes refer to it.
type Finding struct {
	FindingID        ids.ID    `json:"findingId"`
	SubmissionID     ids.ID    `json:"submissionId"`
	SubmissionItemID *ids.ID   `json:"submissionItemId" doc:"The item that it is about; null for the whole submission"`
	Code             string    `json:"code" example:"IDENTITY_MISMATCH"`
	Severity         string    `json:"severity" enum:"info,minor,major,critical"`
	DetectedAt       time.Time `json:"detectedAt"`
	LedgerEventID    ids.ID    `json:"ledger_event_id" doc:"The event finding.detected"`
}

// FindingList is one page of findings.
type FindingList struct {
	db.List[Finding]
	projection.Freshness
}

// ListFindings gives the findings about a submission, newest first. Capability:
// reporting.view. Errors: validation_failed; not_found for a submission outside the scope.
func ListFindings(ctx context.Context, tx *db.Tx, submission ids.ID, page db.Page) (FindingList, error) {
	err := tx.Require(capability.ReportingView)
	if err != nil {
		return FindingList{}, err
	}
	page, err = page.Check()
	if err != nil {
		return FindingList{}, err
	}
	var rows []models.ReportFinding
	q := tx.NewSelect().Model(&rows).Where("f.tenant_id = ? and f.submission_id = ?", tx.Tenant(), submission)
	if !tx.Scope().All {
		q = q.Where("f.org_unit_id = ?", tx.Scope().OrgUnit)
	}
	total, err := db.ReadPage(ctx, q, page, &rows, "f.finding_id desc")
	if err != nil {
		return FindingList{}, fmt.Errorf("list findings: %w", err)
	}
	if total == 0 {
		err = findSubmission(ctx, tx, submission)
		if err != nil {
			return FindingList{}, err
		}
	}
	fresh, err := projection.Fresh(ctx, tx)
	if err != nil {
		return FindingList{}, err
	}
	var items []Finding
	for _, r := range rows {
		items = append(items, Finding{FindingID: r.FindingID, SubmissionID: r.SubmissionID, SubmissionItemID: r.SubmissionItemID,
			Code: r.Code, Severity: r.Severity, DetectedAt: r.DetectedAt.UTC(), LedgerEventID: r.LedgerEventID})
	}
	return FindingList{List: db.NewList(items, page, total), Freshness: fresh}, nil
}

// findSubmission tells a submission without findings from none at all: a caller who mistypes an id
// must not read that nothing was observed. One that was just handed in is not in the reports yet,
// and one that is in them may be gone.
func findSubmission(ctx context.Context, tx *db.Tx, id ids.ID) error {
	var there bool
	err := tx.QueryRow(ctx, `
		select exists (select from submissions where tenant_id = $1 and id = $2 and ($3 or org_unit_id = $4))
			or exists (select from report_submissions where tenant_id = $1 and submission_id = $2 and ($3 or org_unit_id = $4))`,
		tx.Tenant(), id, tx.Scope().All, tx.Scope().OrgUnit).Scan(&there)
	if err != nil {
		return fmt.Errorf("find submission: %w", err)
	}
	if !there {
		return errs.New(errs.NotFound, "There is no such submission in your scope.")
	}
	return nil
}
