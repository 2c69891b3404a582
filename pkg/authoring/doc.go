// Package authoring keeps questions and evaluations, their versions, and what publishing
// freezes (specification, sections 2.3, 2.8, 3 and 9.2; decisions, section 3).
//
// Tables: questions, question_versions, question_terms, evaluations, evaluation_versions,
// evaluation_items, version_snapshots. All belong to an org unit.
//
// # States
//
//	draft      nothing is published yet; there is a draft
//	published  a version is published; there may be a draft beside it
//	archived   nothing can be changed until it is restored
//
// A version is draft, then published, and never changes again: a trigger of the database
// sees to it. Changing a published question or evaluation begins a new version under the
// next number. Every change locks the question's or the evaluation's own row first, so
// that of two publishes at once one finds nothing left to publish.
//
// # Publishing
//
// Publishing a question makes its draft the version that evaluations pin from then on.
// Publishing an evaluation pins the published version of each of its questions, checks
// everything that a candidate could run into, reports all of it at once, and writes the
// Snapshot: canonical JSON (RFC 8785) under its SHA-256. Delivery, projection and
// reporting read the snapshot and none of the tables above.
//
// # Invariants
//
//   - Ids of options, sections and items are stable over versions.
//   - Questions take terms of the content domain. A retired term stays where it is and is
//     not assigned anew.
//   - updated_at of a question or evaluation grows with every change; a patch that names an
//     older one is refused.
//   - Upserts, publishes of many questions and publishes of an evaluation take a fixed
//     number of statements.
//
// The question types are those with an entry in typeRules.
//
// Ledger events, with ids and hashes alone: question.created, .updated, .version_created,
// .published, and the same of evaluation.
//
// Error codes: forbidden, step_up_required, not_found, validation_failed, archived,
// stale_update, conflict, external_id_taken, nothing_to_publish, publish_blocked,
// not_published, version_immutable.
package authoring
