package taxonomy

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// subtreesSQL is descendantsSQL with the term from which each row was found.
const subtreesSQL = `
	with recursive below as (
		select id as root, coalesce(merged_into, id) as id from terms where tenant_id = $1 and id = any($2)
		union
		select b.root, r.term_id from below b join term_relations r on r.tenant_id = $1 and r.parent_id = b.id
	)
	select root, id from below limit $3`

// Subtrees is Descendants for each term on its own, in one statement: members[i] is
// roots[i], its survivor, or a term below that. Unknown ids are left out. Errors:
// validation_failed (too_many) for more than MaxDescendants pairs.
func Subtrees(ctx context.Context, tx *db.Tx, termIDs []ids.ID) ([]ids.ID, []ids.ID, error) {
	roots, members := []ids.ID{}, []ids.ID{}
	if len(termIDs) == 0 {
		return roots, members, nil
	}
	rows, err := tx.Query(ctx, subtreesSQL, tx.Tenant(), termIDs, MaxDescendants+1)
	if err != nil {
		return nil, nil, fmt.Errorf("find subtrees: %w", err)
	}
	var root, member ids.ID
	_, err = pgx.ForEachRow(rows, []any{&root, &member}, func() error {
		roots, members = append(roots, root), append(members, member)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("find subtrees: %w", err)
	}
	if len(roots) > MaxDescendants {
		return nil, nil, errs.Invalid(errs.Field{Path: "terms", Code: "too_many",
			Message: fmt.Sprintf("more than %d terms stand below; name fewer", MaxDescendants)})
	}
	return roots, members, nil
}
