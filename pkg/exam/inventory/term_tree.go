package inventory

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// TreeTerm is a term in its tree: Depth counts from 0 at the top; Questions and Evaluations
// count how many in the scope carry the term itself, in the newest or the published version.
type TreeTerm struct {
	taxonomy.Term
	Depth       int `json:"depth"`
	Questions   int `json:"questions"`
	Evaluations int `json:"evaluations"`
}

// TermTree gives the terms of some facets, or of all, from the top down. Errors: as of
// taxonomy.Forest.
func TermTree(ctx context.Context, tx *db.Tx, facets ...ids.ID) ([]TreeTerm, error) {
	terms, err := taxonomy.Forest(ctx, tx, facets...)
	if err != nil {
		return nil, err
	}
	questions, err := countCarriers(ctx, tx, "question")
	if err != nil {
		return nil, err
	}
	evaluations, err := countCarriers(ctx, tx, "evaluation")
	if err != nil {
		return nil, err
	}
	depth := make(map[ids.ID]int, len(terms))
	tree := make([]TreeTerm, 0, len(terms))
	for _, term := range terms {
		if term.ParentID != nil {
			depth[term.ID] = depth[*term.ParentID] + 1
		}
		tree = append(tree, TreeTerm{Term: term, Depth: depth[term.ID], Questions: questions[term.ID], Evaluations: evaluations[term.ID]})
	}
	return tree, nil
}

func countCarriers(ctx context.Context, tx *db.Tx, noun string) (map[ids.ID]int, error) {
	rows, err := tx.Query(ctx, named(noun, "select term_id, count(*) from NOUN_terms where tenant_id = $1 and ($2 or org_unit_id = $3) group by term_id"),
		tx.Tenant(), tx.Scope().All, tx.Scope().OrgUnit)
	if err != nil {
		return nil, fmt.Errorf("count %ss by term: %w", noun, err)
	}
	counts := map[ids.ID]int{}
	var id ids.ID
	var n int
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		counts[id] = n
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count %ss by term: %w", noun, err)
	}
	return counts, nil
}
