// Package exception is the queue of results that cannot be defended yet (specification, sections 2.10,
// 3 and 4.10; decisions, section 11): who looks after which, and what is wrong with them.
//
// # Tables
//
//	defensibility_exception_triage  one row a submission; the projector writes what is known of it
//	                                (readiness state, reasons, since when), people write state, owner
//	                                and suppression
//	defensibility_exception_counts  how many submissions of an engagement or evaluation are active,
//	                                blocked, or wait for somebody; written by the projector
//	defensibility_rollup_triage     state, owner and suppression of an engagement or requirement
//
// # States
//
// A row is open, acknowledged or resolved. When the projector looks at a submission anew (something
// about it changed, or a refresh was requested) and the issue is still there, a resolved row opens
// again; when it is cleared, the row is resolved. Owner and suppression stay in both cases. A rollup
// has no row until somebody writes one: it is resolved while nothing in it speaks against a result,
// and a resolved one opens again with the next look at one of its submissions. Suppression ends by
// itself: its end is compared with the clock when the list is read.
//
// No free text is kept here. exceptions.read sees the queue of the org unit, exceptions.triage works on
// it; nobody triages a submission of their own. Error codes: not_found, validation_failed,
// stale_update, conflict, four_eyes_required, forbidden.
package exception
