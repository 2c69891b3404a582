// Package remediation changes scores after submit: people score items, and remediations
// correct a question for everybody (specification, section 1.4; decisions, section 4).
//
// # Tables
//
//	item_marks               what people gave an item, with their comments
//	remediations             what was wrong with a question version, and how far correcting it is
//	remediation_submissions  which submissions a remediation is about, whether it counts there, and which wait
//
// The scores are versions, which submission.Rescore appends.
//
// # States of a remediation
//
//	draft ── apply ─> applying ──> applied ── revert ─> reverting ──> reverted
//	reverted ── apply ─> applying
//	applying, reverting ── the job gave up ─> failed ── apply, revert ─> applying, reverting
//
// A draft can be changed and deleted. Applying an applied one, or reverting a reverted one, changes nothing.
//
// # What an item is worth
//
// The base is the newest score given by a person, or else the score from submit. On top of it come
// the active remediations, in the order in which they were applied, and each overrides the ones before:
//
//	exempt_question  EXEMPT: counts neither in the score nor in the maximum
//	full_credit      the whole weight, also for people who left it out
//	adjust_item      a given score of the weight, also for people who left it out
//	rekey            the answer scored with another key; an omitted answer stays omitted, and a
//	                 score by a person stays
//
// They settle a PENDING item too, except rekey, which does not exist for essays. Reverting one leaves
// the effect of the others. So scores depend only on which remediations are active and on the order
// in which they were applied.
//
// # Invariants
//
//   - A score that changes is a new version; nothing is overwritten. A submission whose
//     scores stay as they are gets none.
//   - Totals, rounding and outcome come from package scoring.
//   - A remediation of an evaluation version is about the completed submissions that show the
//     question: all that exist when applying begins, and, unless also_later is false, each that comes
//     while it is applied. The projector finds these, and a job corrects them. Voided ones keep their
//     scores and the keys of these scores.
//   - A step corrects some hundred submissions in one transaction, together with how far it
//     got. It locks the remediation first, then the submissions by id, so steps of several
//     remediations and marks come one after the other for each submission.
//   - The person who took a submission does not score it, chooses it for no remediation, and neither
//     applies nor reverts one that changes its scores. A person who scored it does not approve it.
//
// Error codes: not_found, forbidden, validation_failed, stale_update, remediation_not_draft,
// remediation_not_applied, remediation_under_way, submission_voided, four_eyes_required,
// subject_erased.
//
// Ledger events: remediation.created, .updated, .deleted, .applied, .reverted,
// submission.item.scored, with the mark; with ids and counts, without reasons and comments.
package remediation
