package authoring

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// maxFilterTerms bounds the terms of a filter: all asks the tree once for each.
const maxFilterTerms = 50

// termFilter chooses records whose newest version carries one term of any, and each term of all.
type termFilter struct {
	any, all    []ids.ID
	descendants bool
}

func (f termFilter) check() problems {
	var p problems
	p.addIf(len(f.any) > maxFilterTerms, "terms_any", "too_many", fmt.Sprintf("at most %d terms", maxFilterTerms))
	p.addIf(len(f.all) > maxFilterTerms, "terms_all", "too_many", fmt.Sprintf("at most %d terms", maxFilterTerms))
	return p
}

// carrying makes the condition: one term of any, and for each term of all one of the terms
// that it includes.
func (f termFilter) carrying(ctx context.Context, tx *db.Tx, of noun) (func(*bun.SelectQuery) *bun.SelectQuery, error) {
	var sets [][]ids.ID
	if len(f.any) > 0 {
		sets = append(sets, f.any)
	}
	for _, term := range f.all {
		sets = append(sets, []ids.ID{term})
	}
	for i := range sets {
		if !f.descendants {
			break
		}
		var err error
		sets[i], err = taxonomy.Descendants(ctx, tx, sets[i])
		if err != nil {
			return nil, err
		}
	}
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		for _, set := range sets {
			if len(set) == 0 {
				return q.Where("false")
			}
			q = q.Where("exists (select from ? t where t.tenant_id = ? and t.? = ?TableAlias.id and t.term_id in (?) and t.is_newest)",
				bun.Ident(of.terms()), tx.Tenant(), bun.Ident(string(of)+"_id"), bun.List(set))
		}
		return q
	}, nil
}
