// Package replay sends a data set of package demo through the HTTP interface of a running
// assessd: it imports the candidates, the questions and the evaluation, then runs one
// session a person (start, answers with their times, submit), as the person or on behalf of a proctor.
// It is a client like any other and knows only the interface of the service.
//
// A replay that was interrupted can be run again, by the same user and within the time
// that the service keeps idempotency keys (24 hours by default): imports change nothing
// the second time, a session that was started is found again by its key, answers carry
// the same sequence numbers, and a session that was submitted answers alreadyComplete. So
// each person has exactly one submission in the end. A new run label is a new run.
//
// If a service is away (connection refused, 502, 503, 504) or tells the client to wait (429,
// idempotency_in_progress), a call is tried again for some twenty seconds; Retry-After is
// obeyed.
//
// Errors come from the service, an *errs.Error with its code, or name what could not
// be reached.
package replay
