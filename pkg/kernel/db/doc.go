// Package db is the only door to the database.
//
// Store.Read, Store.Write and their kin open a transaction, state the caller's scope in
// it and hand out a Tx; row-level security then shows that scope's rows and no others
// (decisions, section 2). A Tx has no Commit, Rollback or Begin: the surface that opened
// the transaction ends it, and whatever a domain operation does inside happens as a whole
// or not at all.
//
// Two ways lead to SQL. bun's builders (NewSelect and so on) are for everything that
// reads well as a query; Query, QueryRow and Exec run prepared statements with $1
// parameters for the hot paths, because bun inlines its arguments and PostgreSQL would
// plan each call anew.
//
// Error codes: database_unavailable, database_full, request_timeout, outcome_unknown,
// forbidden, step_up_required, idempotency_key_reused, idempotency_in_progress, and one for
// each constraint in constraints.go.
package db
