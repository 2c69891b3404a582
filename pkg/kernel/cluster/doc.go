// Package cluster turns a migrated database into one whose rows are spread over several machines with Citus.
//
// assessctl distribute does that (docs/scale.md).
//
// What belongs to tenants is distributed by tenant_id, all tables alike, so that the rows of a tenant lie on
// one node and only that node works on a statement about one tenant. Words that every tenant's rows refer to
// are copied to all nodes. What belongs to nobody stays on the coordinator.
//
// # Invariants
//
//   - A table without tenant_id is named here with its place, and the reason; Distribute refuses any other.
//   - Parents come before children, as the foreign keys of the catalogue say. Tables that refer to each other are
//     distributed in one transaction, without the keys between them, which come back at its end.
//   - Each group of tables commits on its own, so a run that was ended goes on where it stopped.
package cluster
