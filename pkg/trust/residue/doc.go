// Package residue searches for remains of a person: identifiers in, findings out (decisions, section
// 10). It reads every column that can hold text or bytes, of every table that the service can read,
// and every file that the tenant keeps, also inside ZIP, gzip and PDF.
//
// # What is searched
//
// The catalogue names the tables and columns: a new one is searched from its birth. Rows of other
// tenants are hidden by row-level security. Tables without a tenant (the queue of jobs) are searched
// whole, and rows that name another tenant are left out.
//
// # What a finding means
//
//	residue   it names the person: something was left
//	possible  a word of the name, or a word from the metadata, where it need not mean the person:
//	          in the text of others, or where the service keeps codes
//	allowed   another person of the tenant has the same name, e-mail address or metadata in
//	          their record, so that it cannot be said to be this person's
//
// # Invariants
//
//   - A report never holds the text that was found, only its place, its kind and its form.
//   - A pass reads each table once, in the order of its primary key, in pages that are transactions
//     of their own: it takes up where it stopped, and keeps no snapshot open.
//   - Memory does not grow with rows or files. Anything longer or deeper than the limits is listed
//     as not searched.
//
// Error codes: forbidden, validation_failed.
//
// Ledger events: residue.scanned.
package residue
