// Package apptest runs the whole service inside a test: a fresh database, the HTTP
// interface on a loopback port, a tenant with two org units, and tokens for users of any
// roles. Nothing is replaced by a stand-in; only the projector is run by hand, so that a
// test knows when the reports are up to date. Only tests may import it.
//
// Its own test compares random histories of calls with a model of the whole service: start at
// TestHistoriesFollowTheModel. ASSESS_HISTORIES says how many it tries.
package apptest
