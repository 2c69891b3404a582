// Package standing reads the standing of submissions from the tables: the facts that package readiness judges
// by, set-based, and the blocks that it makes of them (specification, section 2.9; decisions, section 11).
//
// Read: submissions, submission_items, score_versions, submission_decisions, evidence, findings,
// submission_cases, verifications, version_snapshots, verification_policies.
// Written: submission_executions.
//
// Invariants:
//
//   - Any number of submissions takes the same few statements.
//   - Whether the execution was defensible is written down once, by the projector when it first sees
//     the submission, and only where the version required something: for the others there is nothing
//     to say, whatever comes later.
//   - A candidate sees no block: they name findings, claims and policies.
//   - That a snapshot still has its hash is looked at once a minute in each process.
package standing
