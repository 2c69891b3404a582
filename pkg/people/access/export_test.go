package access

import (
	"assess/pkg/kernel/ids"
)

// LoadGrants is what a token is checked against.
var LoadGrants = loadGrants

// Remember puts n users of one role and one org unit into the cache, as their first requests do.
func (a *Authority) Remember(n int) {
	tenant, unit, role := ids.New(), ids.New(), ids.New()
	for range n {
		g := grants{active: true, orgUnits: append([]ids.ID(nil), unit), roles: append([]ids.ID(nil), role)}
		a.grants.entries.Set(principal{tenant, ids.New()}, g)
	}
}

// Remembered says how many users the cache holds, and the bytes that it says they take.
func (a *Authority) Remembered() (int, int) {
	a.grants.entries.CleanUp()
	return a.grants.entries.EstimatedSize(), int(a.grants.entries.WeightedSize())
}

// GrantsMemory bounds them.
const GrantsMemory = grantsMemory

// Forget does the same as every announcement of a changed role or key.
func (a *Authority) Forget() { a.forget() }
