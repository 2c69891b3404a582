package reporting

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/ids"
	"assess/pkg/projection"
)

// Finding is an observation finding as claims and disputes link to it.
type Finding struct {
	FindingID        ids.ID    `json:"findingId"`
	SubmissionID     ids.ID    `json:"submissionId"`
	SubmissionItemID *ids.ID   `json:"submissionItemId" doc:"The item that it is about; null for the whole submission"`
	Code             string    `json:"code" example:"IDENTITY_MISMATCH"`
	Severity         string    `json:"severity" enum:"info,minor,major,critical"`
	DetectedAt       time.Time `json:"detectedAt"`
	LedgerEventID    ids.ID    `json:"ledgerEventId" doc:"The event finding.detected"`
}

// FindingList is one page of findings.
type FindingList struct {
	db.List[Finding]
	projection.Freshness
}

// ListFindings gives the findings about a submission, newest first; none for a submission
// that the reports do not know. Capability: reporting.view. Errors: validation_failed.
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
	total, err := q.Order("f.finding_id desc").Limit(int64(page.Limit)).Offset(int64(page.Offset())).ScanAndCount(ctx)
	if err != nil {
		return FindingList{}, fmt.Errorf("list findings: %w", err)
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
	return FindingList{List: db.NewList(items, page, int(total)), Freshness: fresh}, nil
}
