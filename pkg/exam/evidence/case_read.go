package evidence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// CaseReaders are the capabilities that let somebody read claims and disputes; one is enough.
// sessions.take shows the disputes about one's own submissions.
var CaseReaders = []capability.Capability{capability.EvidenceRead, capability.EvidenceManage, capability.SubmissionsReview}

// requireReader says whether the actor reads all cases of the kind, or only their own.
func (k CaseKind) requireReader(tx *db.Tx) (bool, error) {
	err := requireOne(tx, CaseReaders...)
	if err == nil {
		return true, nil
	}
	if k == Disputes && tx.Can(capability.SessionsTake) {
		return false, nil
	}
	return false, err
}

// CaseFilter chooses claims or disputes of a submission; an empty State does not.
type CaseFilter struct {
	State string `query:"state" enum:"open,upheld,rejected,withdrawn"`
	db.Page
}

// ListCases gives the claims or disputes about a submission, newest first. Capability: one of
// CaseReaders; sessions.take for the disputes about one's own. Errors: not_found,
// validation_failed.
func ListCases(ctx context.Context, tx *db.Tx, kind CaseKind, submission ids.ID, f CaseFilter) (db.List[Case], error) {
	var none db.List[Case]
	readsAll, err := kind.requireReader(tx)
	if err != nil {
		return none, err
	}
	page, err := f.Page.Check()
	bad := problems{}
	if err != nil {
		bad = errs.Of(err).Fields
	}
	if err := errs.Invalid(append(bad, errs.OneOf("state", f.State, CaseStates)...)...); err != nil {
		return none, err
	}
	s, err := findSubject(ctx, tx, submission, nil)
	if err != nil {
		return none, err
	}
	if !readsAll && !s.takenBy(tx.Actor()) {
		return none, errNoSubmission
	}
	var rows []models.SubmissionCase
	q := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("c.submission_id = ? and c.kind = ?", submission, string(kind))
	if f.State != "" {
		q = q.Where("c.state = ?", f.State)
	}
	total, err := db.ReadPage(ctx, q, page, &rows, "c.id desc")
	if err != nil {
		return none, fmt.Errorf("list %ss: %w", kind, err)
	}
	found, err := withFindings(ctx, tx, submission, rows)
	return db.NewList(found, page, total), err
}

// GetCase gives a claim or dispute. Capability as for ListCases. Errors: not_found.
func GetCase(ctx context.Context, tx *db.Tx, kind CaseKind, id ids.ID) (Case, error) {
	readsAll, err := kind.requireReader(tx)
	if err != nil {
		return Case{}, err
	}
	var row models.SubmissionCase
	err = tx.NewSelect().Model(&row).Apply(tx.InScope).Where("c.id = ? and c.kind = ?", id, string(kind)).Scan(ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Case{}, notFound(string(kind))
	case err != nil:
		return Case{}, fmt.Errorf("find %s: %w", kind, err)
	}
	if !readsAll {
		s, err := findSubject(ctx, tx, row.SubmissionID, nil)
		if err != nil {
			return Case{}, err
		}
		if !s.takenBy(tx.Actor()) {
			return Case{}, notFound(string(kind))
		}
	}
	found, err := withFindings(ctx, tx, row.SubmissionID, []models.SubmissionCase{row})
	if err != nil {
		return Case{}, err
	}
	return found[0], nil
}

// withFindings adds the findings that claims or disputes of a submission are about, in one
// statement.
func withFindings(ctx context.Context, tx *db.Tx, submission ids.ID, rows []models.SubmissionCase) ([]Case, error) {
	of := func(c models.SubmissionCase) ids.ID { return c.ID }
	named, err := links(ctx, tx, `
		select case_id, finding_id from case_findings
		where tenant_id = $1 and submission_id = $2 and case_id = any($3) order by 1, 2`, submission, mapped(rows, of))
	if err != nil {
		return nil, err
	}
	return mapped(rows, func(r models.SubmissionCase) Case { return caseOf(r, named[r.ID]) }), nil
}
