// Package dsar exports the data held about a person and what they wrote (GDPR, articles 15 and 20;
// decisions, section 10).
//
// The data map says which rows and columns belong into an export; nothing here decides it again. An
// export is an archive of package archive:
//
//	json/      a file a domain, for programs
//	csv/       a file a table, for spreadsheets
//	files/     evidence
//	index.html a page for the person, without script; what is long has pages of its own next to it
//
// # Invariants
//
//   - It holds every column that the data map exports, of every row about the person or by them,
//     and of nobody else.
//   - It names nobody else: an actor is "a member of staff", "an operator" or "the service". What
//     others wrote about the person stays as they wrote it, even where it names somebody.
//   - It holds results and no keys of questions.
//   - The same data make the same bytes up to the receipt: rows come in the order of their primary
//     keys, and exports hold no trace of exports.
//   - It is read at one snapshot, in pieces: memory does not grow with the attempts.
//   - A file that the store has lost keeps nothing else back: the manifest names it, and the export
//     is partial.
//
// Error codes: not_found, storage_unavailable.
package dsar
