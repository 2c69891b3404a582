// Package review lets people decide about submissions: approve, reject, request changes, reopen,
// void (specification, section 3; decisions, section 4).
//
// Tables: submission_decisions, one row a decision; it changes status and approval_status
// of submissions.
//
// # States of approval_status
//
//	pending_review ── approve ──────────> approved
//	pending_review ── reject ───────────> rejected
//	pending_review ── request-changes ──> changes_requested
//	approved, rejected, changes_requested ── reopen ──> pending_review
//
// not_required leads nowhere: the evaluation requires no review. A submission is decided once: a
// second decision is already_decided until somebody reopens.
//
// # Invariants
//
//   - Four eyes: anyone who took the submission, acted for the person, or changed its scores
//     does not approve or reject it (four_eyes_required). The person who took it does not reopen or void it.
//   - A submission with an open outcome is not approved: as long as an item that counts waits for a
//     person to score it, the answer is scores_pending.
//   - status goes from completed to voided and never back, and a voided submission takes no
//     decision. Voiding needs a step-up proof, and reports follow it.
//   - Every decision has to meet the verification policy for review actions at the level of the
//     submission (package policy).
//   - Of two decisions at once one succeeds, and the other is refused.
//   - Every decision except an approval gives a reason. The text stays in submission_decisions: the
//     ledger gets ids and codes.
//
// Error codes: not_found, forbidden, step_up_required, four_eyes_required, scores_pending,
// already_decided, not_decided, review_not_required, submission_voided, subject_erased,
// validation_failed.
//
// Ledger events: submission.approved, .rejected, .changes_requested, .reopened, .voided.
package review
