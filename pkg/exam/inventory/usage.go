package inventory

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

const (
	// listed bounds how many references a usage names; its totals count all of them.
	listed = 50
	// exact is how far sessions and submissions are counted one by one. Above it we take the count
	// of the reports, which the projector maintains and which is a few seconds behind: nobody waits
	// until millions of rows are counted, and we always know whether something is in use at all.
	exact = 10_000
)

// References are the first references to something, and how many there are.
type References[T any] struct {
	Total int64 `json:"total"`
	Items []T   `json:"items" nullable:"false" doc:"The newest 50"`
}

// counts says by kind of reference how much refers to something.
type counts []struct {
	name string
	n    int64
}

func (c counts) inUse() bool {
	for _, kind := range c {
		if kind.n > 0 {
			return true
		}
	}
	return false
}

// countRow counts with a statement that gives one column a name; $3 is exact.
func countRow(ctx context.Context, tx *db.Tx, sql string, id ids.ID, names ...string) (counts, error) {
	c := make(counts, len(names))
	into := make([]any, len(names))
	for i, name := range names {
		c[i].name, into[i] = name, &c[i].n
	}
	err := tx.QueryRow(ctx, sql, tx.Tenant(), id, exact).Scan(into...)
	if err != nil {
		return nil, fmt.Errorf("count usage: %w", err)
	}
	return c, nil
}

// references reads rows whose columns are the fields of T.
func references[T any](ctx context.Context, tx *db.Tx, total int64, sql string, id ids.ID) (References[T], error) {
	r := References[T]{Total: total, Items: []T{}}
	if total == 0 {
		return r, nil
	}
	rows, err := tx.Query(ctx, sql, tx.Tenant(), id, listed)
	if err != nil {
		return r, fmt.Errorf("list usage: %w", err)
	}
	r.Items, err = pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	if err != nil {
		return r, fmt.Errorf("list usage: %w", err)
	}
	return r, nil
}

// exists says whether a row is in the scope.
func (k *Kind) exists(ctx context.Context, tx *db.Tx, id ids.ID) error {
	var known bool
	err := tx.QueryRow(ctx, "select exists (select from "+k.name+" where tenant_id = $1 and id = $2 and ($3 or org_unit_id = $4))",
		tx.Tenant(), id, tx.Scope().All, tx.Scope().OrgUnit).Scan(&known)
	if err != nil {
		return fmt.Errorf("find %s: %w", k.noun, err)
	}
	if !known {
		return k.notFound()
	}
	return nil
}
