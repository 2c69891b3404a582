package taxonomy

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// MaxDescendants limits the result of Descendants.
const MaxDescendants = 20_000

// Descendants gives the terms themselves and everything below them, retired ones included,
// each once and in no order; a merged term is replaced by its survivor, and unknown ids
// are left out. It checks no capability itself. Errors: validation_failed (too_many) for
// more than MaxDescendants terms.
func Descendants(ctx context.Context, tx *db.Tx, termIDs []ids.ID) ([]ids.ID, error) {
	if len(termIDs) == 0 {
		return []ids.ID{}, nil
	}
	rows, err := tx.Query(ctx, descendantsSQL, tx.Tenant(), termIDs, MaxDescendants+1)
	if err != nil {
		return nil, fmt.Errorf("find descendants: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("find descendants: %w", err)
	}
	if len(found) > MaxDescendants {
		return nil, errs.Invalid(errs.Field{Path: "terms", Code: "too_many",
			Message: fmt.Sprintf("more than %d terms stand below; name fewer", MaxDescendants)})
	}
	return found, nil
}

// descendantsSQL ends even on a cycle: union takes no row twice.
const descendantsSQL = `
	with recursive below as (
		select coalesce(merged_into, id) as id from terms where tenant_id = $1 and id = any($2)
		union
		select r.term_id from below b join term_relations r on r.tenant_id = $1 and r.parent_id = b.id
	)
	select id from below limit $3`
