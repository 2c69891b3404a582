package evidence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"assess/models"
	"assess/pkg/exam/review"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// DecideInput is a decision about a claim or dispute.
type DecideInput struct {
	ID      ids.ID `path:"id" json:"-"`
	Comment string `json:"comment,omitempty" maxLength:"2000" doc:"Why; required but for a withdrawal. Seen by those who read the claim or dispute"`
}

func (in DecideInput) check(needed bool) error {
	var bad problems
	bad = append(bad, errs.Prose("comment", in.Comment, maxReason, needed)...)
	return errs.Invalid(bad...)
}

// Uphold decides for a claim or dispute. It changes nothing else: what follows for the
// submission is for review and remediation. Capability: submissions.review. Errors:
// not_found, already_decided, four_eyes_required, validation_failed.
func Uphold(ctx context.Context, tx *db.Tx, kind CaseKind, in DecideInput) (Case, error) {
	return judge(ctx, tx, kind, in, models.CaseUpheld)
}

// Reject decides against a claim or dispute. Capability and errors as for Uphold.
func Reject(ctx context.Context, tx *db.Tx, kind CaseKind, in DecideInput) (Case, error) {
	return judge(ctx, tx, kind, in, models.CaseRejected)
}

func judge(ctx context.Context, tx *db.Tx, kind CaseKind, in DecideInput, to string) (Case, error) {
	if err := tx.Require(capability.SubmissionsReview); err != nil {
		return Case{}, err
	}
	if err := in.check(true); err != nil {
		return Case{}, err
	}
	row, err := lockCase(ctx, tx, kind, in.ID)
	if err != nil {
		return Case{}, err
	}
	if err := requireOpen(row); err != nil {
		return Case{}, err
	}
	if row.RaisedBy == tx.Actor().String() {
		return Case{}, errs.New(errs.FourEyesRequired, "Whoever raised it cannot decide about it.")
	}
	s, err := findSubject(ctx, tx, row.SubmissionID, nil)
	if err != nil {
		return Case{}, err
	}
	err = review.RequireFourEyes(ctx, tx, s.submission, s.user)
	if err != nil {
		return Case{}, err
	}
	return settle(ctx, tx, row, to, in.Comment)
}

// Withdraw ends a claim or dispute without a decision. Capability: evidence.manage;
// sessions.take for a dispute. A dispute is withdrawn by the person who raised it, or by the person
// whose submission it is about; a claim never by the latter. Errors: not_found, already_decided,
// raiser_required, four_eyes_required, validation_failed.
func Withdraw(ctx context.Context, tx *db.Tx, kind CaseKind, in DecideInput) (Case, error) {
	if err := kind.requireRaiser(tx); err != nil {
		return Case{}, err
	}
	if err := in.check(false); err != nil {
		return Case{}, err
	}
	row, err := lockCase(ctx, tx, kind, in.ID)
	if err != nil {
		return Case{}, err
	}
	if kind == Disputes {
		err = requireParty(ctx, tx, row)
	} else {
		err = refuseOwn(ctx, tx, row.SubmissionID)
	}
	if err != nil {
		return Case{}, err
	}
	if err := requireOpen(row); err != nil {
		return Case{}, err
	}
	return settle(ctx, tx, row, models.CaseWithdrawn, in.Comment)
}

// requireParty lets in the person who raised a dispute and the person whose submission it is about.
// For other candidates it does not exist.
func requireParty(ctx context.Context, tx *db.Tx, row models.SubmissionCase) error {
	s, err := findSubject(ctx, tx, row.SubmissionID, nil)
	switch {
	case err != nil:
		return err
	case s.takenBy(tx.Actor()), row.RaisedBy == tx.Actor().String():
		return nil
	case !tx.Can(capability.EvidenceManage):
		return notFound(row.Kind)
	}
	return errs.New(errs.RaiserRequired, "Only whoever raised the dispute, or the person whose submission it is, withdraws it.")
}

func requireOpen(row models.SubmissionCase) error {
	if row.State == models.CaseOpen {
		return nil
	}
	return errs.New(errs.AlreadyDecided, "The %s is not open any more.", row.Kind).With("state", row.State)
}

func settle(ctx context.Context, tx *db.Tx, row models.SubmissionCase, to, comment string) (Case, error) {
	authority, err := CaseKind(row.Kind).verify(ctx, tx, row.SubmissionID)
	if err != nil {
		return Case{}, err
	}
	now, by := tx.Now(), tx.Actor().String()
	row.State, row.DecidedBy, row.DecidedAt, row.Comment = to, &by, &now, comment
	_, err = tx.NewUpdate().Model(&row).Column("state", "decided_by", "decided_at", "comment").WherePK().Exec(ctx)
	if err != nil {
		return Case{}, fmt.Errorf("decide about %s: %w", row.Kind, err)
	}
	settled, err := withFindings(ctx, tx, row.SubmissionID, []models.SubmissionCase{row})
	if err != nil {
		return Case{}, err
	}
	return settled[0], ledger.Append(ctx, tx, caseEvent(row, to, settled[0].FindingIDs, authority))
}

// lockCase finds a claim or dispute and keeps others from deciding about it.
func lockCase(ctx context.Context, tx *db.Tx, kind CaseKind, id ids.ID) (models.SubmissionCase, error) {
	var row models.SubmissionCase
	err := tx.NewSelect().Model(&row).Apply(tx.InScope).Where("c.id = ? and c.kind = ?", id, string(kind)).
		For("no key update").Scan(ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return row, notFound(string(kind))
	case err != nil:
		return row, fmt.Errorf("lock %s: %w", kind, err)
	}
	return row, submission.RefuseErased(ctx, tx, row.SubmissionID)
}
