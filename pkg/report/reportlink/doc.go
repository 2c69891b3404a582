// Package reportlink shows one report to somebody without an account: a link is bound to a report and its
// filters, reads and changes nothing, ends, and can be withdrawn.
//
// # Tables
//
//	link_principals  a row a link, with the report that it is bound to (package access says which browser
//	                 brings it)
//
// # Invariants
//
//   - A link shows a report that names nobody, of one org unit, that its maker could read when it was made.
//   - It shows nothing as long as its maker may not read reports of that org unit: not active, no longer
//     there, or without reporting.view. Package access looks at each call.
//   - It shows what a question says and which option is right only while its maker may read questions.
//   - Each view counts and locks the row of its link: one that was withdrawn shows nothing from that
//     commit on.
//   - The secret of the address leads one browser to the page, once, and stays in no address that is kept.
//
// Error codes: forbidden, not_found, validation_failed, unauthenticated, token_expired, link_invalid.
//
// Ledger events: report_link.created, report_link.opened, report_link.revoked.
package reportlink
