// Package httpapi is the HTTP surface: it decodes, calls one operation and encodes.
//
// routes.go and a file for each room list the whole interface, a line a route. wrapper.go is the way that every
// request takes: request id, time limit, token, capability, idempotency key, strict
// decoding and validation, scoped transaction, operation, commit, and only then the
// answer. No decision about the domain is made here.
package httpapi
