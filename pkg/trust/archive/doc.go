// Package archive writes ZIP archives that prove their content.
//
// # What is in an archive
//
//	...             the files that the caller writes
//	SHA256SUMS      their hashes, as sha256sum --check reads them
//	manifest.json   what the archive is, its files with SHA-256 and size (SHA256SUMS too), counts
//	manifest.sig    the signature of manifest.json: 64 bytes, Ed25519 (RFC 8032)
//	signer.pem      the public key; if you do not trust the archive, take the key from the service
//	receipt.json    when it was made, who requested it, who it is about, and the SHA-256 of manifest.json
//	receipt.sig     the signature of receipt.json, by the same key
//
// So unzip, sha256sum and openssl are enough to check everything (docs/compliance.md).
//
// # Invariants
//
//   - The same files in the same order make the same bytes up to the receipt, as long as the same
//     key signs: every entry has the same time, the order is the caller's, and Ed25519 has no
//     randomness. The receipt comes last, so that everything before it stays at the same place.
//   - It is streamed. What stays in memory is the name and the hash of each file.
//   - Names are plain relative paths, each of them once.
package archive
