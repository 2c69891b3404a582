package review

import (
	"slices"

	"assess/models"
	"assess/pkg/kernel/errs"
)

// maxComment bounds a comment, in characters.
const maxComment = 2000

// move is the change that a decision makes to approval_status.
type move struct {
	// name is the decision's name in the table, event its name in the ledger.
	name, event string
	from        []string
	to          string
	// judges says that the decision is one on the merits, which four eyes guard.
	judges bool
}

var (
	approve        = move{"approve", "approved", []string{models.ApprovalPendingReview}, models.ApprovalApproved, true}
	reject         = move{"reject", "rejected", []string{models.ApprovalPendingReview}, models.ApprovalRejected, true}
	requestChanges = move{"request_changes", "changes_requested", []string{models.ApprovalPendingReview},
		models.ApprovalChangesRequested, false}
	reopen = move{"reopen", "reopened",
		[]string{models.ApprovalApproved, models.ApprovalRejected, models.ApprovalChangesRequested},
		models.ApprovalPendingReview, false}
)

// StatusTransitions are the transitions of a submission's status.
var StatusTransitions = []models.Transition{
	{By: "session submits or expires", To: models.SubmissionCompleted},
	{From: models.SubmissionCompleted, By: "void", To: models.SubmissionVoided},
}

// ApprovalTransitions are the transitions of approval_status, where the evaluation requires review.
func ApprovalTransitions() []models.Transition {
	all := []models.Transition{{By: "four eyes", To: models.ApprovalPendingReview}}
	for _, m := range []move{approve, reject, requestChanges, reopen} {
		for _, from := range m.from {
			all = append(all, models.Transition{From: from, By: m.name, To: m.to})
		}
	}
	return all
}

// check says whether a submission can make the move.
func (m move) check(s models.Submission) error {
	switch {
	case s.Status == models.SubmissionVoided:
		return errVoided()
	case s.ApprovalStatus == models.ApprovalNotRequired:
		return errs.New(errs.ReviewNotRequired, "The evaluation asks for no review of its submissions.")
	case slices.Contains(m.from, s.ApprovalStatus):
		return nil
	case s.ApprovalStatus == models.ApprovalPendingReview:
		return errs.New(errs.NotDecided, "Nothing has been decided yet; there is nothing to reopen.")
	}
	return errs.New(errs.AlreadyDecided, "The submission was decided before; reopen it first.").
		With("approval_status", s.ApprovalStatus)
}

func errVoided() error {
	return errs.New(errs.SubmissionVoided, "The submission is voided; that is final.")
}
