// Package glassbox shows one result to somebody without an account, such as an auditor (specification,
// sections 2.9, 4.10 and 5.8; decisions, section 11).
//
// # Tables
//
//	link_principals  a row a link: what it shows, until when, how often it was used (package access
//	                 signs its token and recognizes its holder)
//
// # What is shown
//
// The outcome and the scores, with their version; hashes of the snapshot and of the state; how actions
// were verified; decisions, evidence, findings, claims and disputes; readiness; and the proof that the
// log has the state. Instead of people there are roles. No name, no address, no text that somebody wrote,
// no answer and no key of a question is read into it: a Box has no field for them.
//
// # Invariants
//
//   - The maker of a link sees everything that it shows: exceptions.triage, submissions.read and
//     evidence.read.
//   - A link reads its own submission and nothing else, in its own org unit.
//   - Each view counts, locks the row of its link, and is an event: a link that was withdrawn shows
//     nothing from that commit on.
//   - While the processing of the person's data is restricted, nothing is shown and no link is made.
//   - Forgetting the person, or deleting the submission, ends its links.
//   - An Export that somebody takes away is signed, and assessctl ledger verify checks it without the
//     service.
//
// Error codes: forbidden, not_found, validation_failed, processing_restricted, unauthenticated,
// token_expired, not_sequenced.
//
// Ledger events: glass_box_link.created, glass_box_link.revoked, glass_box_link.opened, glass_box.viewed,
// glass_box.exported; evidence.viewed with visibilityChannel glassbox.
package glassbox
