package evidence

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// checkBatch is how many results one transaction records.
const checkBatch = 50

// CheckFilter chooses what CheckAll checks, within the scope; the zero value chooses all.
type CheckFilter struct {
	// SubmissionID chooses the evidence of one submission.
	SubmissionID *ids.ID
	// NotSince leaves out what was found sound at that moment or later, so that a run that was
	// interrupted goes on.
	NotSince *time.Time
}

// CheckReport counts what CheckAll found. Problems are the evidence whose file is changed or
// missing; Failed counts files that the store did not give.
type CheckReport struct {
	Checked  int        `json:"checked"`
	OK       int        `json:"ok"`
	Changed  int        `json:"changed"`
	Missing  int        `json:"missing"`
	Failed   int        `json:"failed"`
	Problems []Evidence `json:"problems" nullable:"false"`
}

// record runs the transaction that records results: Store.Write, or Store.DryRun.
type record func(context.Context, db.Scope, func(*db.Tx) error) error

// CheckAll checks all evidence of the scope that the filter chooses, and records the results
// in pieces. progress hears how many of all are done. Capability: one of Readers. Errors:
// not_found for an unknown submission.
func (f *Files) CheckAll(ctx context.Context, scope db.Scope, filter CheckFilter, record record, progress func(done, total int64)) (CheckReport, error) {
	r, done := CheckReport{Problems: []Evidence{}}, int64(0)
	total, err := f.countToCheck(ctx, scope, filter)
	if err != nil {
		return r, err
	}
	for last := ids.None; ; {
		piece, err := f.nextToCheck(ctx, scope, filter, last)
		if err != nil || len(piece) == 0 {
			return r, err
		}
		found, err := f.checkPiece(ctx, scope, piece, record)
		if err != nil {
			return r, err
		}
		r.add(found, len(piece))
		done, last = done+int64(len(piece)), piece[len(piece)-1].ID
		progress(done, max(done, total))
	}
}

func (r *CheckReport) add(found []Evidence, of int) {
	r.Failed += of - len(found)
	for _, e := range found {
		r.Checked++
		switch e.Integrity {
		case models.IntegrityOK:
			r.OK++
			continue
		case models.IntegrityChanged:
			r.Changed++
		case models.IntegrityMissing:
			r.Missing++
		}
		r.Problems = append(r.Problems, e)
	}
}

// stored is a file to look at.
type stored struct {
	ID     ids.ID
	SHA256 string
}

// checkPiece looks at files and records what it found. A file that the store does not give
// now is left out; the others are checked all the same.
func (f *Files) checkPiece(ctx context.Context, scope db.Scope, piece []stored, record record) ([]Evidence, error) {
	var checks []Check
	for _, one := range piece {
		c, err := f.look(ctx, scope.Tenant, one.ID, one.SHA256)
		switch {
		case errors.Is(err, errs.StorageUnavailable):
			continue
		case err != nil:
			return nil, err
		}
		checks = append(checks, c)
	}
	var found []Evidence
	if len(checks) == 0 {
		return nil, nil
	}
	err := record(ctx, scope, func(tx *db.Tx) error {
		var err error
		found, err = RecordChecks(ctx, tx, checks...)
		return err
	})
	return found, err
}

func (f *Files) countToCheck(ctx context.Context, scope db.Scope, filter CheckFilter) (int64, error) {
	var total int64
	err := f.store.Read(ctx, scope, func(tx *db.Tx) error {
		err := requireOne(tx, Readers...)
		if err == nil && filter.SubmissionID != nil {
			_, err = findSubject(ctx, tx, *filter.SubmissionID, nil)
		}
		if err != nil {
			return err
		}
		total, err = tx.NewSelect().Model((*models.Evidence)(nil)).Apply(tx.InScope, filter.narrow).Count(ctx)
		return err
	})
	return total, err
}

// nextToCheck gives the next files in the order of their ids.
func (f *Files) nextToCheck(ctx context.Context, scope db.Scope, filter CheckFilter, after ids.ID) ([]stored, error) {
	var piece []stored
	err := f.store.Read(ctx, scope, func(tx *db.Tx) error {
		err := filter.next(tx, after).Scan(ctx, &piece)
		if err != nil {
			return fmt.Errorf("list evidence to check: %w", err)
		}
		return nil
	})
	return piece, err
}

func (c CheckFilter) next(tx *db.Tx, after ids.ID) *bun.SelectQuery {
	return tx.NewSelect().Model((*models.Evidence)(nil)).Column("id", "sha256").Apply(tx.InScope, c.narrow).
		Where("e.id > ?", after).Order("e.id").Limit(checkBatch)
}

func (c CheckFilter) narrow(q *bun.SelectQuery) *bun.SelectQuery {
	if c.SubmissionID != nil {
		q = q.Where("e.submission_id = ?", *c.SubmissionID)
	}
	if c.NotSince != nil {
		q = q.Where("(e.checked_at is null or e.checked_at < ? or e.integrity <> ?)", *c.NotSince, models.IntegrityOK)
	}
	return q
}
