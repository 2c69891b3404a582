// Package blob keeps files outside the database: in a folder, or in a bucket that speaks
// S3 (setting blob.url). A file is stored under the SHA-256 of its bytes, so that storing
// twice is storing once, and anyone who knows the key can tell whether the bytes are
// still the ones that were stored.
//
//	<tenant>/media/<sha256>      managed assets
//	<tenant>/evidence/<sha256>   evidence of submissions
//
// # Writing
//
// Receive takes a stream into a temporary file without a name while it hashes and counts,
// and stops at the limit; nothing reaches the store before the last byte is known. Put then
// stores it. A final key never names half a file: a folder gets it by a rename, a bucket by
// an upload that counts when it is complete. When Put returns, the file survives a loss of
// power. A file that is there and sound is not written again; a damaged one is replaced.
//
// # Errors
//
//   - request_too_large: more bytes than the limit (details.limit).
//   - malformed_request: the stream broke off.
//   - storage_full, storage_unavailable: the store refuses or is away; trying again may help.
//   - file_damaged: a file is missing, or its bytes no longer match its key.
//
// Who refers to a file, and when it may be deleted, is for the package that owns the kind.
package blob
