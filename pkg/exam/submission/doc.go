// Package submission keeps the durable record of an attempt (specification, sections 2.1,
// 2.2 and 3; decisions, section 4).
//
// # Tables
//
//	submissions        one row an attempt; it has the id of its session
//	submission_items   one row an item, omitted ones too, as it was scored at submit
//	score_versions     one row a version of the scores, once there is more than the one from submit
//	item_scores        one row an item whose score a version changed
//	projection_outbox  the submissions that the projector has to look at
//
// # Invariants
//
//   - A submission exists exactly when its session is submitted or expired: Finalise ends
//     the session and writes the record in one transaction.
//   - Correctness, scores and outcome are computed before. The items never change: Correct
//     appends a version, and the submission points to the newest. NewestItems is how
//     everybody reads it.
//   - A submission names its snapshot by hash and holds the order of items (position) and
//     the seed that gives the order of options. Its cost does not grow with the snapshot.
//   - pending says whether an item that counts is PENDING; Finalise and Correct write it.
//   - A list reads no snapshot: everything it shows of one is in columns next to the content.
//   - Nothing that two submits could wait for is written: no counter, no ledger event.
//
// # Who sees what
//
// submissions.read shows everything. A candidate (sessions.take) sees their own in the
// candidate view, which has neither snapshot nor key nor review nor verifications nor
// retention, and scores as
// feedback_mode allows:
//
//	none     neither score nor outcome
//	overall  score and outcome
//	tags     score and outcome, and the scores by the tags that publishing froze
//	items    score and outcome, and the score of each item, with what feedbackPolicy adds or
//	         takes away
//
// Before feedbackPolicy.availableAfter the mode is none.
//
// Error codes: not_found, forbidden, validation_failed.
package submission
