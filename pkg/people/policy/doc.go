// Package policy keeps the policies of a tenant: how long records are kept, and how sure the
// identity of people who act must be (specification, sections 2.1, 5 and 9; decisions,
// sections 4 and 6).
//
// # Tables
//
//	retention_policies     versions of the policy of each domain; the newest is in force
//	verification_policies  what a level asks of an action, where it is not the default
//	verifications          how a protected action was verified
//
// Require also reads submissions and version_snapshots, for the level of a submission.
//
// # Retention
//
// A version is never changed. A submission takes retain_until and retention_basis
// ("policy:<id>") from the version in force when it is submitted, in the statement that
// writes it (package submission); a later change touches no record that is there.
//
// # Verification
//
// A level, L1 to L4, belongs to an evaluation version. For each level and each action there
// is a policy: whether the caller must state a context (X-Verification-Context), which
// fields it must have, whether a step-up proof is needed (X-Step-Up-Proof) and which methods
// of proof are allowed. Without a row these are the defaults:
//
//	L1  nothing
//	L2  a context
//	L3  a context and a step-up proof
//	L4  the same
//
// Publishing an evaluation needs a proof at every level and, by default, no context. That,
// and the proof at L4, no tenant can lower.
//
// A policy ref, verification_policy/v1/level_N/<digest>, names what a policy asks: the
// digest hashes level, context, step-up and required fields. Publishing freezes the policy
// for submissions into the snapshot, and a submit is held to that. Everything else is held
// to the policy of the day at the level of the snapshot. A snapshot without a policy has a
// legacy ref, verification_level/v1/level_N, which requires a proof at L4 and nothing else.
//
// # Invariants
//
//   - A proof is consumed in the transaction of what it authorises.
//   - What a context says is free text: it stays in verifications. Ledger events name the
//     verification, the policy ref, kind and method.
//   - Operators and jobs are not asked: they proved themselves to the machine.
//
// Error codes: forbidden, validation_failed, stale_update, step_up_required, not_found.
//
// Ledger events: retention_policies.set, verification_policies.set.
package policy
