// Package programme keeps the things that assignments are about: subjects, engagements and programme
// requirements (specification, sections 2.10 and 2.12; decisions, section 7).
//
// # Tables
//
//	subjects                who or what work is about, by external id
//	engagements             a piece of work, for a subject or for none
//	programme_requirements  an evaluation that a programme requires
//
// All belong to an org unit. Rows that assignments or the exceptions queue refer to are not deleted.
//
// # States
//
//	subject      none
//	engagement   open ⇄ closed
//	requirement  active ⇄ retired
//
// # Invariants
//
//   - An external id is unique within its kind and org unit.
//   - A subject may be a person. Its name and metadata stay in its row: no ledger event,
//     error, log line, job or other table repeats them.
//   - What a record refers to (subject, evaluation) lies in the same org unit. An archived evaluation
//     takes no new requirement; the ones it has stay.
//   - updated_at grows with every change; a patch made from an older state is refused.
//
// Ledger events: subject, engagement and programme_requirement, each .created, .updated and .deleted.
//
// Error codes: forbidden, not_found, validation_failed, stale_update, external_id_taken,
// archived, subject_in_use, engagement_in_use, requirement_in_use.
package programme
