// Package authoring keeps questions, passages and evaluations, their versions, and what
// publishing freezes (specification, sections 2.3, 2.8, 3 and 9.2; decisions, section 3).
//
// Tables: questions, question_versions, question_terms, evaluations, evaluation_versions,
// evaluation_items, evaluation_terms, evaluation_pins, version_snapshots, snapshot_titles, snapshot_questions, passages and theirs;
// question_search, passage_search, evaluation_search. All belong to an org unit.
//
// # States
//
//	draft      nothing is published yet; there is a draft
//	published  a version is published; there may also be a draft
//	archived   nothing can be changed until it is restored
//
// A version is draft, then published, and never changes again: a trigger of the database
// sees to it. Changing a published question or evaluation begins a new version under the
// next number. Every change locks the question's or the evaluation's own row first, so
// that of two publishes at once one finds nothing left to publish.
//
// # Publishing
//
// Publishing a question or a passage makes its draft the version that is pinned from then
// on, and pins the current version of each asset that it shows; a question pins the published
// version of its passage too, and is not published before that.
// Publishing an evaluation pins the published version of each of its questions and passages,
// checks everything that a candidate could run into, reports all of it at once, and writes
// the Snapshot: canonical JSON (RFC 8785) under its SHA-256. Delivery, projection and
// reporting read the snapshot and none of the tables above.
//
// # Where things stand
//
// The code that the three kinds share is in the files record_*.go: a store creates, changes,
// upserts, publishes, lists and exports them. The parts of one kind only are in question_store.go
// and the like, the functions that callers use in question_operations.go and the like. A row is
// written with the columns of its model (db.Upsert). A checked input has a type of its own.
//
// # Items of an evaluation
//
//	questionId  a fixed question
//	passageId   a passage with its questions, without the archived ones
//	draw        count questions out of a pool, chosen by the seed of each session
//
// A draw's candidates are the published questions of the org unit whose published versions
// carry all of its terms (a term, or one below it) and none of the excluded ones. Questions
// that the evaluation shows anyway are not drawn. If draws could show the same question,
// publishing shares the candidates out, so that pools are disjoint: then each draw is filled
// by itself, and no session shows a question twice. Sharing out meets all counts whenever
// that is possible (draw_too_small otherwise); the remaining questions go where they are
// needed most. A pool question's item id is made from the draw and the question: it is the
// same in every version. Weight on a passage or draw counts for each of its questions.
//
// # Invariants
//
//   - Ids of options, sections and items are stable over versions.
//   - Questions take terms of the content domain. A retired term stays where it is and is
//     not assigned anew.
//   - updated_at of a question or evaluation grows with every change; a patch that names an
//     older one is refused.
//   - A question belongs to at most one passage.
//   - question_terms says of each term whether the newest version carries it, the published
//     one, or both; lists filter on the former, draws choose from the latter.
//   - Only passages take content without its envelope, from older clients.
//   - Upserts, publishes of many questions and publishes of an evaluation take a fixed
//     number of statements.
//
// The question types are the rows of scoring.Types.
//
// Ledger events, with nothing but ids and hashes: question.created, .updated,
// .version_created, .published, and the same for passage and evaluation;
// passage.questions_set.
//
// Error codes: forbidden, step_up_required, not_found, validation_failed, archived,
// stale_update, conflict, external_id_taken, nothing_to_publish, publish_blocked,
// not_published, version_immutable, question_in_other_passage.
package authoring
