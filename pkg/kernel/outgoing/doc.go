// Package outgoing makes the one HTTP client for addresses that somebody typed into the service: an identity provider,
// a learning platform, a receiver of webhooks. A person who may type an address must not reach through the service what
// only the service reaches: the database's network, a cloud's metadata, the machine itself.
//
// So the client speaks HTTPS on port 443, checks the address of every connection when it is dialled (a name that resolves
// otherwise on the second look changes nothing), follows no redirect, goes through no proxy, waits 15 seconds and reads
// 1 MiB. Rules.AllowPrivate opens networks of one's own, by prefix; in the settings that is outgoing.allow_private.
//
// Errors: ErrAddress, ErrRedirect, *http.MaxBytesError while reading, context.DeadlineExceeded. The client wraps them in
// *url.Error, which quotes the whole address: log Reason(err), for a query can hold secrets.
//
// Turns, Pause, Kept and RetryAfter are for packages that call many receivers again and again: webhooks and grades.
package outgoing
