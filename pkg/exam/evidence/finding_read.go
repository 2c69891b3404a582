package evidence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// FindingFilter chooses findings of a submission; empty fields do not.
type FindingFilter struct {
	ItemID   *ids.ID `query:"itemId" noun:"item" doc:"One item, as the session and the submission call it"`
	Severity string  `query:"severity" enum:"info,minor,major,critical"`
	db.Page
}

// ListFindings gives the findings about a submission, newest first. Capability: one of
// Readers. Errors: not_found, validation_failed.
func ListFindings(ctx context.Context, tx *db.Tx, submission ids.ID, f FindingFilter) (db.List[Finding], error) {
	var none db.List[Finding]
	if err := requireOne(tx, Readers...); err != nil {
		return none, err
	}
	page, err := f.Page.Check()
	bad := problems{}
	if err != nil {
		bad = errs.Of(err).Fields
	}
	if f.Severity != "" {
		bad.oneOf("severity", f.Severity, severities)
	}
	if err := errs.Invalid(bad...); err != nil {
		return none, err
	}
	s, err := findSubject(ctx, tx, submission, f.ItemID)
	if err != nil {
		return none, err
	}
	var rows []models.Finding
	q := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("f.submission_id = ?", submission)
	if s.submissionItem != nil {
		q = q.Where("f.submission_item_id = ?", *s.submissionItem)
	}
	if f.Severity != "" {
		q = q.Where("f.severity = ?", f.Severity)
	}
	total, err := db.ReadPage(ctx, q, page, &rows, "f.id desc")
	if err != nil {
		return none, fmt.Errorf("list findings: %w", err)
	}
	found, err := withEvidence(ctx, tx, submission, rows)
	return db.NewList(found, page, total), err
}

// GetFinding gives a finding. Capability: one of Readers. Errors: not_found.
func GetFinding(ctx context.Context, tx *db.Tx, id ids.ID) (Finding, error) {
	if err := requireOne(tx, Readers...); err != nil {
		return Finding{}, err
	}
	var row models.Finding
	err := tx.NewSelect().Model(&row).Apply(tx.InScope).Where("f.id = ?", id).Scan(ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Finding{}, notFound("finding")
	case err != nil:
		return Finding{}, fmt.Errorf("find finding: %w", err)
	}
	found, err := withEvidence(ctx, tx, row.SubmissionID, []models.Finding{row})
	if err != nil {
		return Finding{}, err
	}
	return found[0], nil
}

// withEvidence adds the evidence that findings of a submission name, in one statement.
func withEvidence(ctx context.Context, tx *db.Tx, submission ids.ID, rows []models.Finding) ([]Finding, error) {
	of := func(f models.Finding) ids.ID { return f.ID }
	named, err := links(ctx, tx, `
		select finding_id, evidence_id from finding_evidence
		where tenant_id = $1 and submission_id = $2 and finding_id = any($3) order by 1, 2`, submission, mapped(rows, of))
	if err != nil {
		return nil, err
	}
	return mapped(rows, func(r models.Finding) Finding { return findingOf(r, named[r.ID]) }), nil
}

// links reads pairs of ids as lists by the first id.
func links(ctx context.Context, tx *db.Tx, query string, submission ids.ID, of []ids.ID) (map[ids.ID][]ids.ID, error) {
	all := map[ids.ID][]ids.ID{}
	if len(of) == 0 {
		return all, nil
	}
	rows, err := tx.Query(ctx, query, tx.Tenant(), submission, of)
	if err != nil {
		return nil, fmt.Errorf("read links: %w", err)
	}
	var from, to ids.ID
	_, err = pgx.ForEachRow(rows, []any{&from, &to}, func() error {
		all[from] = append(all[from], to)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read links: %w", err)
	}
	return all, nil
}
