// Package inventory works on questions and evaluations as what an author has in stock:
// archive, restore and delete, who uses them, bulk changes and saved views (specification,
// sections 2.7, 3, 4.6, 7.5 and 7.6). It stands after delivery, because archiving an
// evaluation closes its sessions.
//
// Tables: questions and evaluations, of which it changes the status and which it deletes;
// inventory_views is its own. Usage reads evaluation items and pins, passages, sessions,
// submissions, assignments, programme requirements and libraries.
//
// # Lifecycle
//
//	draft, published ── Archive, or Delete of what is in use → archived
//	archived ── Restore → published where a version is published, else draft
//	draft, published, archived ── Delete of what nothing refers to → removed
//
// Archiving an evaluation closes its active sessions in the same transaction; those whose
// time is over are left to expiry, which submits what was saved in time. A session that
// starts meanwhile either commits first and is closed, or finds the evaluation archived.
//
// # Invariants
//
//   - What is in use is never deleted, whoever begins to use it meanwhile: foreign keys say
//     so where this code does not.
//   - A refused deletion has archived (db.Keep), and its repetition is refused likewise.
//   - updated_at grows with every change of status.
//   - Everything takes a fixed number of statements, also for 10,000 ids.
//
// Ledger events: question.archived, .restored, .deleted, and the same of evaluation.
//
// Error codes: forbidden, not_found, question_in_use, evaluation_in_use (details: the
// counts by kind of reference).
package inventory
