// Package retention carries out what the retention policies of a tenant say (specification, sections 2.1
// and 2.11; decisions, sections 6 and 10).
//
// # What a policy is about, and how old it is
//
//	submissions  a submission whose retain_until is over. It goes by the policy that it took at submit
//	             (retention_basis), whatever became of that since. redact: texts of answers, comments,
//	             reasons, findings and cases give way to a mark, by the data map. delete: the submission
//	             goes with everything that refers to it, and with its session
//	evidence     a file, by when it was attached. redact: the file goes; kind, size and hash stay.
//	             delete: the row goes, too
//	sessions     a session that has ended, by its end: the answers as they were saved, and the reasons of
//	             proctors. delete: one that led to no submission goes altogether; one that did is the
//	             submission's start, and goes with it
//	telemetry    events of ended sessions, by the end of the session, where nobody projected them. delete:
//	             the sums of the events as well, by the last event
//	exports      files that compliance jobs made and that have an end, by when they were made
//
// All but submissions go by the policy in force.
//
// # What deleting means for figures
//
// Deleted records no longer count: each submission, session or sum of events is projected anew, so reports
// show the remaining records, as if the others had never been. An attempt that is deleted does not count as
// an attempt either. Redacting leaves all figures as they are.
//
// # Pieces
//
// A sweep goes through each domain in pieces, each a transaction. A piece looks at the next rows in the order
// of their age, locks their people against holds, leaves out rows that a hold keeps, and erases the rest. So
// it can be stopped anywhere, and goes on with the rows that are left. Pieces of one domain of a tenant wait
// for one another; candidates wait for none.
//
// Tables: retention_incidents, and those that the data map names.
// Error codes: validation_failed, forbidden, rate_limited.
package retention
