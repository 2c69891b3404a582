// Package access decides who calls: tokens, magic links, step-up proofs, rate limits
// (specification, section 5; decisions, sections 1 and 2).
//
// A token is a JWT signed with Ed25519 (RFC 8037). It names user, tenant, org unit and roles,
// and no capability: capabilities are looked up at each call, in a cache that follows a change
// of roles within a second in every process. A token never gives more than its user has at this
// moment, and it ends with the generation of tokens that it names. Refreshing trades it for one
// with the current roles, until the session that began at the sign-in is over.
//
// A magic link works once. Its token is made by the job that mails it and is stored only
// as a hash. Redeeming a link gives a token and a step-up proof; the protected call that
// the proof authorises consumes it.
//
// A link principal has no account: its token, or the browser that brought its code, reads one
// submission through the glass box (package glassbox), or one report (package reportlink), as long as
// the user who made the link may. Its row is read at each call, so that a link that was withdrawn
// ends in every process at once. Such a token is of another type than a user's, and neither passes
// for the other.
//
// Tables: signing_keys, magic_links, step_up_proofs, rate_limits, link_principals.
// Error codes: unauthenticated, token_expired, link_invalid, rate_limited.
package access
