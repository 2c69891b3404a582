// Package shelf keeps the files of one kind in the blob store, so that no record names a file
// that is missing, and no file stays for long that no record names.
//
// A kind has two tables: one of its records, which each name the SHA-256 of a file, and one
// of its claims, with a row for every file that the store may hold. Records refer to claims
// by a foreign key. Records of a tenant that name the same bytes share one file; no file is
// shared between tenants.
//
// # From claim to sweep
//
//	Keep    commits the claim, then stores the file
//	        the transaction of the record comes after that
//	Sweep   deletes claims that no record has named for an hour, and their files
//
// An upload that breaks off between two of these steps leaves a claim, with or without its
// file, which the sweep removes. A record whose file was swept before it was written fails
// at the foreign key: storage_unavailable, try again.
//
// Error codes: the codes of package blob, and of the claim that the caller gives.
package shelf
