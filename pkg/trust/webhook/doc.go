// Package webhook tells other systems what happened (Standard Webhooks 1.0; the same calls are CloudEvents in binary mode).
// docs/webhooks.md explains it to the people who receive the calls.
//
// # Tables
//
//	webhook_endpoints   who is told of what; the secrets are sealed
//	webhook_deliveries  an event for an endpoint, until 14 days are over
//	webhook_cursors     how far the ledger of a tenant has been read
//
// Read: ledger_events, ledger_heads, ledger_states; submissions and score_versions; users and what they may do.
//
// # Where events come from
//
// From the ledger, in its order. A submit writes no event; it is in a batch of states that the log takes up (package
// translog), which the projector's hand-over fills, and the first state of a submission says that it was handed in. So
// nothing is added to a submit. An event has the same id whenever it is made of the same entry.
//
// # Invariants
//
//   - Reading a piece of the ledger, writing its deliveries and moving the cursor is one transaction: none is lost, none doubled.
//   - One process at a time sends to an endpoint, at most five calls at once. It has the endpoint for a while; when it dies
//     another takes over, and calls that were made and not written down are made again: at least once.
//   - Calls go out while no transaction is open, by the guarded client (package outgoing).
//   - An endpoint of an org unit hears that org unit only. Scores go only to endpoints whose maker may still see reports.
//
// Error codes: forbidden, not_found, url_not_allowed, validation_failed, webhook_disabled.
//
// Ledger events: webhook.created, .updated, .deleted, .rotated, .replayed, .disabled.
package webhook
