// Package assignment hands out evaluations: to a person, an e-mail address, a group, or by a
// public link (specification, sections 2.12, 4.11, 7 and 8; decisions, section 7).
//
// # Tables
//
//	assignments             who may take what, when, under which run label
//	assignment_redemptions  who took an assignment up; once a user
//	assignment_overrides    more time, more attempts or another window for one user
//	assignment_invitations  the mail to each invitee and how far it is
//	assignment_schedules    recurrence rules that make assignments
//	assignment_occurrences  the runs that a schedule has made; once each
//
// # States
//
//	assignment  active ⇄ closed; an active one is open within its window
//	invitation  queued → sending → sent | failed; failed and sent → queued when sent anew
//	schedule    active ⇄ paused; active → ended when its rule has no further occurrence
//
// # Redeeming
//
// A person, or the invited person of an e-mail address, redeems their own assignment; a
// current member of the group redeems a group assignment; anyone with the token of a public link
// redeems that, within the org unit. For other people, an assignment to a person does not exist.
// A redemption takes one attempt in advance until its first session starts, so that of two
// redemptions of the last attempt one is refused. Nobody has to redeem before they start, except
// for a public link: the start of a current member of the group redeems for them, and so does a
// start by somebody else on a person's behalf.
//
// Nobody changes the terms of their own exam (four_eyes_required): no override for oneself, no
// other window of an assignment that reaches one, and no handing out again to oneself or a group
// that one is in.
//
// # Importing
//
// A row of a file names what it needs as people do (external ids, addresses, names) and
// finds an active assignment by evaluation, target and run label (Slot); a public link is
// the oldest one of its slot. Imports into one org unit wait for each other. A public link
// that was imported has no token until RotateToken makes one: tokens are shown once, and
// an import shows none.
//
// # Invariants
//
//   - One active assignment for an evaluation, target and run label; public links aside.
//   - Tokens are stored as SHA-256 and shown once. A new one replaces the old.
//   - E-mail addresses stay in the user record: an address without an account becomes a user
//     of status invited, and target_ref is that user's id.
//   - A change of an assignment locks its row exclusively; overrides, redemptions and starts
//     share it, and an advisory lock makes the ones of one person come one after the other. A
//     redemption locks the membership that it depends on. So none of them misses what another does.
//   - A mail is never sent twice: the sender claims its row first, and a claim that a crash left
//     behind counts as failed until somebody has it sent again. Each sending has a Message-ID of
//     its own, made from the ids.
//   - A run of a schedule, its assignments and the time of the next run commit together.
//
// Ledger events, with ids and numbers only: assignment.created, .updated, .token_rotated,
// .overridden, .invited; assignment_schedule.created, .updated, .deleted, .ran.
//
// Error codes: forbidden, not_found, validation_failed, stale_update, archived,
// not_published, duplicate_assignment, assignment_not_open, already_enrolled,
// group_membership_required, assignment_not_redeemed, attempt_limit_reached, cooloff_active,
// four_eyes_required, subject_erased.
package assignment
