package taxonomy

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Path is the place of a term: the slugs of its facet and of itself, and the labels from the top of the tree down to its own.
type Path struct {
	Facet  string
	Term   string
	Labels []string
}

// pathsSQL stops at 64 levels, so that even a damaged tree gives an answer.
const pathsSQL = `
	with recursive above as (
		select id as leaf, coalesce(merged_into, id) as id, 1 as level from terms where tenant_id = $1 and id = any($2)
		union all
		select a.leaf, r.parent_id, a.level + 1 from above a
		join term_relations r on r.tenant_id = $1 and r.term_id = a.id where a.level < 64
	)
	select a.leaf, f.slug, t.slug, t.label
	from above a
	cross join lateral (select slug, label, facet_id from terms where tenant_id = $1 and id = a.id offset 0) t
	cross join lateral (select slug from facets where tenant_id = $1 and id = t.facet_id offset 0) f
	order by a.leaf, a.level`

// Paths is Names with the labels of the terms above each, in one statement.
func Paths(ctx context.Context, tx *db.Tx, termIDs []ids.ID) (map[ids.ID]Path, error) {
	paths := make(map[ids.ID]Path, len(termIDs))
	if len(termIDs) == 0 {
		return paths, nil
	}
	rows, err := tx.Query(ctx, pathsSQL, tx.Tenant(), termIDs)
	if err != nil {
		return nil, fmt.Errorf("find paths of terms: %w", err)
	}
	var leaf ids.ID
	var facet, term, label string
	_, err = pgx.ForEachRow(rows, []any{&leaf, &facet, &term, &label}, func() error {
		p, known := paths[leaf]
		if !known {
			p.Facet, p.Term = facet, term
		}
		p.Labels = append(p.Labels, label)
		paths[leaf] = p
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find paths of terms: %w", err)
	}
	for _, p := range paths {
		slices.Reverse(p.Labels)
	}
	return paths, nil
}
