// Package trust is the room of proof: the keys that sign for a tenant, the log that shows that
// nothing was rewritten, and the jobs that treat a person's data as the law demands.
//
// What may come in: code that shows an outsider that the service did what it says. Figures come
// after it, so that they can name proofs and no proof depends on figures.
package trust
