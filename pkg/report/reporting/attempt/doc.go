// Package attempt reports on one attempt: who took it, how it went, item by item
// (specification, section 4.2).
//
// # Tables
//
// The record is read where it is kept: submissions and submission_items with their newest
// scores, and version_snapshots for structure, tags, texts and keys. No authoring table is
// read, so the report of an old attempt never changes with the bank of questions. Of the
// events in the browser window only the rollup is known (submission_telemetry_summary).
// sessions and assignment_overrides tell which other terms the person had. Name and address
// come from the current user record, and are stored nowhere else.
//
// # Definitions
//
// Rates are fractions in [0,1] and null when their denominator is 0; times are
// milliseconds. Within one attempt, an item is omitted when it has no answer; facility and
// average score are over answered SCORED items, the omit rate over all items, times over answered
// items with a known time. docs/reporting.md says it field by field.
//
// # Who looked
//
// Get and Export need reporting.view_named and write a ledger event with visibilityType and
// visibilityChannel: nobody sees a named attempt without a trace. So both need a transaction
// that writes.
//
// Error codes: forbidden, not_found. Ledger events: session_attempt.viewed, .exported.
package attempt
