// Package erasure forgets people (decisions, sections 6 and 10).
//
// The data map (package datamap) says what becomes of a row; scores, outcomes, choices and figures stay.
// Texts that were written once can be replaced by the mark "[erased]" and by nothing else: triggers ensure
// that, and the programs may change no other column of such tables.
//
// # Steps of a job
//
//	hold      refuses to erase data that a hold keeps; the identifiers of the person are sealed into the row of
//	          the job, because later steps need them and the record is erased by then
//	access    ends tokens, memberships, roles and open sessions, and from then on keeps holds away
//	rows      does what the data map says, in one transaction
//	answers   deletes stored answers to calls of others that show the person
//	files     deletes evidence and earlier exports, except bytes that other records hold
//	mail      deletes messages in the mail folder
//	residue   searches every table and file for the identifiers of the person (package residue); a finding makes
//	          the job partial
//	receipt   signs what was done
//
// Every step may run again and leads to the same end. A job that failed before it took anything away leaves
// no trace. One that failed later keeps holds away until another one has done the rest: half the data that
// a hold would keep are gone.
//
// # The log
//
// An answer is part of the state of a submission. Its new state is taken up by the log as an erased one
// (package translog), so that erasing is told from tampering: scores and choices are in both states.
//
// Error codes: the codes of package compliance, hold_active, last_tenant_admin, four_eyes_required,
// step_up_required.
package erasure
