// Package translog keeps a Merkle log over the event ledger of each tenant, so that nobody can
// rewrite what was done, nor the state of a submission, without being found out (decisions,
// section 10). docs/ledger.md says what it promises, and how an auditor checks it.
//
// # Tables
//
//	ledger_logs         how far the log of a tenant is; a process locks its row to append
//	ledger_tiles        the hashes of the tree, 256 of one level a row
//	ledger_checkpoints  signed notes about size and root; append-only
//	ledger_states_due   submissions whose state is to be taken up
//	ledger_batches      a batch of states, which one event names; append-only
//	ledger_states       what the leaves of batches say; append-only
//
// Read: ledger_events, ledger_heads; submissions and their items through package submission; to verify
// also score_versions, submission_decisions, evidence, findings, holds, compliance_jobs and compliance_ledger.
//
// # The tree
//
// Hashes follow RFC 6962 with SHA-256. The leaf of event n has index n-1 and is the canonical JSON (RFC 8785) of everything in its
// row. A proof reads two tiles a level of tiles: six rows in a log of sixteen million events.
//
// # The sequencer
//
// A job every ledger.checkpoint_every. It writes nothing that a request waits for, and requests write
// nothing for it: it reads events behind the last one that it has, which is enough because the
// ledger numbers them in the order of their commits. Submits write no event. The projector, which
// takes every finished, corrected, voided and decided submission out of its outbox exactly once,
// hands their ids on (TakeUp), so that a late commit cannot be missed. A thousand states make a batch
// and one event.
//
// # Invariants
//
//   - One process at a time appends to the log of a tenant; others leave.
//   - A piece of work is one transaction: killed anywhere, the log is whole, and the next run goes on.
//   - A checkpoint is signed only while the stored tree still has the root that was signed before.
//   - A state after the first names an event about its submission that no state before it names.
//   - An erased state follows from an event of a job (Erased), never from a row that waits.
//
// # Verification
//
// Verify reads the database, and compares records of other tables with their events (verify_records.go); VerifyFile needs nothing but
// files. Both name each event that was edited, removed, inserted or put elsewhere, and tell changed events from changed hashes by the
// signed roots.
//
// Error codes: forbidden, not_found, not_sequenced, validation_failed.
//
// Ledger events: submissions.sequenced, submission.erased, evidence.erased.
package translog
