// Package session runs sessions: start, save, submit, expire (specification, section 3;
// decisions, sections 4 and 9).
//
// # Tables
//
//	sessions         one row an attempt; a submission takes its id
//	session_answers  the newest answer to each item
//	session_events   runtime events, until the session is projected
//	session_actions  what proctors did with a session, and why
//	question_exposures  in how many sessions a draw showed a question, where that is bounded
//
// # States
//
// The table Transitions (state.go) holds them; docs/sessions.md draws it. An open session
// becomes submitted or expired with a submission, closed or abandoned without.
//
// Only an open session within its time takes answers and events. Nothing leads back.
// Past the deadline the session stays open in the table until somebody ends it: Submit
// does so and answers with the result; Save and RecordEvents answer session_not_open and
// leave it to the expiry job (every few seconds), because an error undoes everything their
// transaction did; Get, which only reads, shows it as expired.
//
// # Invariants
//
//   - One device writes at a time: resume counts up the view of a session, and the update
//     with which a save, a batch of events or a submit locks it requires the newest.
//   - Under linear navigation no answer goes to an item before the furthest answered one. A
//     section whose time is over takes none. The same update checks both, so that a save reads
//     nothing before; free navigation without section times checks nothing.
//   - Everything that changes a session locks its row first, by updating it: saves, events and the
//     submit of one session happen one after the other.
//   - A submit scores the answers it read at a revision and ends the session only at that revision.
//     So no acknowledged answer is missing from the submission.
//   - An answer with an older sequence number never replaces a newer one, in whatever order
//     they arrive. The same answer may be sent again.
//   - Receipts form a chain: receipt(n) = SHA-256(receipt(n-1) || canonical JSON of the
//     answers of save n); receipt(0) is empty.
//   - Neither start nor save nor submit reads an authoring table except evaluations (whether it is
//     published, archived): content comes from the snapshot, which the Desk keeps digested.
//   - A session shows all fixed questions and passages, and of each draw the questions that its seed
//     chooses, today and in ten years, or the ones kept with it where an exposure policy chose.
//     Answers to anything else are refused; the submission holds everything that was shown. The
//     questions of a passage stay together and in order.
//   - A preview writes nothing and shows what a session with its seed would.
//   - Candidates never get the key, weights or explanations.
//
// # Attempts
//
// Every session counts as an attempt, except a closed one, which the person did not cause. The
// cool-off runs from the end of the last attempt, or from its start while it is open. A session may
// be part of an assignment: it takes over its run label, and its submission the batch too; an
// override adds time and attempts (package assignment).
//
// # Who may act
//
// A person with sessions.take may act on their own sessions; a person with sessions.proctor on all in
// the scope. For anybody else the session does not exist.
//
// Error codes: not_found, forbidden, validation_failed (of a start that has to name an
// assignment: details.assignmentIds), not_published, archived, attempt_limit_reached (details.limit), cooloff_active (details.availableAt),
// assignment_not_open, assignment_not_redeemed, group_membership_required,
// session_not_open (details.state), revision_mismatch (details.revision), session_superseded
// (details.view), item_left (details.itemIds), section_time_over (details.sectionIds),
// lockdown_required (details.missing), no_time_limit.
//
// Ledger events: session.closed, session.extended. Submits write none, not even submits by proctors:
// the submission says who acted.
package session
