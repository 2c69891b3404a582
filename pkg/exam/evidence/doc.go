// Package evidence keeps what speaks for and against a submission: files, findings, claims and
// disputes (specification, sections 2.4 and 6; decisions, section 4).
//
// # Tables
//
//	evidence           a file about a submission, or about one of its items
//	evidence_blobs     the files that the blob store may hold (package shelf)
//	findings           what somebody observed, with a code and a severity
//	finding_evidence   the evidence that a finding names
//	submission_cases   claims and disputes
//	case_findings      the findings that they are about
//
// # Files
//
// The bytes of a file tell its type; the settings say which types are accepted. A file is stored
// under its SHA-256 before the transaction that records it. File names are not kept, because they
// contain names of people; a download is named by its id. Two pieces of evidence may have the same
// bytes and then share the file, within the tenant only.
//
// Evidence never changes and is never removed. Voiding marks it, for good, with a reason; the file
// stays and can still be read and checked. storageTier says how soon the file must be available; the
// store's own rules move the bytes.
//
// A check reads the whole file and compares it with its hash: ok, changed or missing. The result is
// stored and is a ledger event. Reading does the same first: bytes that changed are never given out.
//
// # States of claims and disputes
//
//	open ── uphold ───> upheld
//	open ── reject ───> rejected
//	open ── withdraw ─> withdrawn
//
// A decision is final (already_decided).
//
// # Who may
//
//	evidence.manage     adds and voids evidence, sets its tier, detects findings, raises and
//	                    withdraws claims, raises disputes for others
//	evidence.read       reads all of it, the bytes too
//	evidence.read or    reads everything except the bytes, and checks files
//	evidence.manage
//	submissions.review  decides about claims and disputes, and reads them
//	sessions.take       raises, reads and withdraws disputes about one's own submission
//
// Four eyes: the person who raised a claim or dispute does not decide it, and neither does anyone
// who took the submission or changed its scores. A dispute is withdrawn by the person who raised it,
// or by the person whose submission it is.
//
// # Invariants
//
//   - A finding names only evidence of its own submission, a claim or dispute only findings of its
//     own submission: foreign keys enforce this.
//   - A claim names at least one finding. A dispute need not: it may be about the result.
//   - Findings never change. Their detail, statements, comments and reasons are free texts:
//     they stay in their rows, out of the ledger and of the reports.
//
// Error codes: forbidden, not_found, validation_failed, unsupported_media_type,
// request_too_large, evidence_voided, already_decided, four_eyes_required, raiser_required,
// dispute_open, subject_erased, storage_unavailable, storage_full, file_damaged.
//
// Ledger events: evidence.file.attached, .viewed, .integrity.checked, .tier.changed, .voided;
// finding.detected; claim.raised, .upheld, .rejected, .withdrawn, and the same of dispute.
package evidence
