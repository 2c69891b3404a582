// Package kernel is the room for what everything else is built on: the words (errors, ids,
// capabilities), the scoped transaction, the ledger, the queue, files and mail, and the pure
// libraries for content, scoring and search.
//
// What may come in: code that knows no noun of the domain, or that needs no database at all.
package kernel
