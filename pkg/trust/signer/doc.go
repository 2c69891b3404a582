// Package signer keeps the Ed25519 keys (RFC 8032) that sign for a tenant: checkpoints of the
// ledger, receipts and manifests (decisions, section 10).
//
// # Tables
//
//	trust_keys  a row a key; seeds are sealed with auth.key_secret, as the seeds of token keys are
//
// # Invariants
//
//   - A tenant has at most one key in use; the first signature makes it.
//   - Keys are a chain: each is signed by the one before, back to the first; a tenant has one first key. A key outside
//     the chain counts nowhere, unless somebody pins it.
//   - A key that was retired signs nothing more. Its public half stays for ever, because what it signed stays too.
//   - They are not the keys of tokens: token keys are swept when their last token has expired.
//   - A signature is plain Ed25519 over the message, so that
//     openssl pkeyutl -verify -rawin checks it with the public key in PEM.
//
// Error codes: forbidden.
//
// Ledger events: trust_key.rotated.
package signer
