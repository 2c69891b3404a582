// Package inventory works on the stock of questions and evaluations that an author has: archive,
// restore and delete, who uses them, bulk changes and saved views (specification, sections 2.7, 3,
// 4.6, 7.5 and 7.6). It comes after session, because archiving an evaluation closes its sessions.
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
// Archiving an evaluation closes its active sessions in the same transaction; sessions whose time
// is over are left to expiry, which submits the answers saved in time. A session that starts
// meanwhile either commits first and is closed, or finds the evaluation archived.
//
// # Bulk
//
// One call takes up to 10,000 ids, each of them once, and answers for each in their order.
// An id fails by itself; terms that cannot be assigned refuse the call. Terms are part of
// the version: taxonomyReplace changes the draft, and gives a published one a new draft
// first. It takes the whole set (taxonomyTermIds), or what to take away and what to add
// (removeTermIds, addTermIds).
//
// # Terms
//
// WhereUsed lists what names a term. MergeTerm puts one term in the place of another in the
// drafts, draws, saved views and the index of terms of the whole tenant, in a fixed number
// of statements; published versions keep the terms they name, and code that reads them for
// something new follows the merge. It locks questions and evaluations before terms, as every editor
// does. CheckTerms looks for states that no operation leaves behind.
//
// # Views
//
// A personal view belongs to its owner only: for everybody else, administrators and operators too,
// it does not exist. A shared one is visible to the org unit and can be changed by anyone who may
// write the inventory. Filters are canonical: only known keys, legacy snake_case keys stored as
// camelCase, presets stored where they are true.
//
// # Invariants
//
//   - Nothing in use is ever deleted, even if its use begins meanwhile: foreign keys enforce it
//     where this code does not.
//   - A refused deletion has archived (db.Keep), and its repetition is refused in the same way.
//   - updated_at grows with every change of status.
//   - Everything takes a fixed number of statements, also for 10,000 ids and for an
//     evaluation with 100,000 open sessions (some seconds; its candidates' saves wait for
//     them). All of it happens or none.
//
// Ledger events: question.archived, .restored, .deleted, .updated (new terms), and the same of
// evaluation; archived tells closedSessions; view.created, .updated, .deleted.
//
// Error codes: forbidden, not_found, validation_failed, stale_update, duplicate_name,
// question_in_use, evaluation_in_use (details: the counts by kind of reference).
package inventory
