// Package pack publishes evaluations as content packs, installs them in other org units, and knows every copy
// (specification, sections 2.12 and 4.8; decisions, section 12).
//
// # Tables
//
//	libraries, library_items                  what the next revision is made of; of an org unit
//	library_revisions, library_entries        a revision and the lines of its manifest; never change
//	library_contents, library_files           what revisions say and show, once for each content
//	library_installs, library_installed       which revision an org unit works with, and its evaluations
//	library_copies, library_copied_versions   which records and versions are copies of which
//	library_keys                              whose files the tenant takes
//
// libraries is the only table of an org unit that other org units look into: at a row that is offered. The content of a
// revision belongs to the tenant and is reached through its library.
//
// # From library to copy
//
//	library ── Publish ──> revision ── Install ──> published versions of the org unit's own records
//	                          │  ▲
//	                  Export  ▼  │  Import
//	                       signed file
//
// A revision needs nothing else: publishing copies everything that the evaluations pin, and installing reads only these
// copies. So the source may change or go, another org unit installs without looking into the first, and a pack that came as
// a file is like any other.
//
// The manifest is canonical JSON (RFC 8785): a line for each evaluation, question, passage, file, term and item, and its
// SHA-256 names the revision. Content is named by the hash of its canonical form, in which an image has an id made from its
// file. Content without images has the same hash everywhere; content with images has the hash of its portable form in the
// manifest, and another one in each org unit, whose assets have ids of their own.
//
// # What installing does
//
// A copy is a record of the org unit. Installing another revision adds versions to it if the pack has others, and changes
// nothing else; the revision that is installed already changes nothing. A record is in conflict when the org unit began a
// draft, published a version or archived it since, and the pack has another version, too: keep_local leaves it, take_pack
// publishes the pack's version over it and drops the draft. A record that was kept stays kept until the pack changes it
// again. Evaluations show the pack's versions of questions, and the org unit's own if it kept them.
//
// A copy gets the external id if it is free in the org unit. Terms are matched by facet and slug; a merged term by its survivor.
//
// # States of an install
//
//	current      the org unit works with this revision
//	replaced     it works with another one now
//	uninstalled  what it had was archived
//
// # Invariants
//
//   - Revisions, their lines and contents never change: triggers see to it.
//   - An org unit has at most one current install of a library; installs of one library into one org unit queue.
//   - Lineage reads sums that the reports keep, and nothing is written that a submit could wait for.
//
// Ledger events, with nothing but ids and hashes: library.created, .updated, .archived, .deleted, .item_added,
// .item_updated, .item_removed, .published, .installed, .uninstalled, .imported, .exported, .key_trusted, .key_removed.
//
// Error codes: forbidden, step_up_required, not_found, validation_failed, archived, conflict, stale_update, library_in_use,
// publish_blocked, nothing_to_publish, terms_missing, pack_conflicts, pack_damaged, pack_too_new, pack_untrusted,
// storage_unavailable.
package pack
