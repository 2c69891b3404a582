package db

import (
	"time"

	"github.com/uptrace/bun"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/wire"
)

// Fresh holds a change against the state that it was made from (decisions, section 1,
// "Optimistic locking"). sent is the updatedAt that somebody read, nil when they do not care;
// stored is the record's own, zero for one that is not there yet. Errors: stale_update, with
// the stored updatedAt in its details.
func Fresh(sent *time.Time, stored time.Time) error {
	if sent == nil || sent.Equal(stored) {
		return nil
	}
	err := errs.New(errs.StaleUpdate, "Somebody changed it since you read it.")
	if stored.IsZero() {
		return err.With("updatedAt", nil)
	}
	return err.With("updatedAt", wire.Instant(stored))
}

// ChangedAt gives the time of a change of what was changed last at the time before. It always
// moves forward, also within a millisecond and for a transaction that began before the last
// one committed: Fresh compares these times.
func (tx *Tx) ChangedAt(last time.Time) time.Time {
	if tx.Now().After(last) {
		return tx.Now()
	}
	return last.Add(time.Millisecond).UTC()
}

// OrZero gives the value, or the zero value where there is none.
func OrZero[T any](value *T) T {
	if value == nil {
		var none T
		return none
	}
	return *value
}

// UTC gives a time that may be missing in UTC.
func UTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

// InScope adds the scope of the transaction to a query of a model, where it becomes a
// condition on the index in addition to the policy: q.Apply(tx.InScope).
func (tx *Tx) InScope(q *bun.SelectQuery) *bun.SelectQuery {
	q = q.Where("?TableAlias.tenant_id = ?", tx.Tenant())
	if tx.Scope().All {
		return q
	}
	return q.Where("?TableAlias.org_unit_id = ?", tx.Scope().OrgUnit)
}

// Only narrows a query of a model to one value of a column, where a value is given.
func Only[T comparable](column string, value T) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		var none T
		if value == none {
			return q
		}
		return q.Where("?TableAlias.? = ?", bun.Ident(column), value)
	}
}
