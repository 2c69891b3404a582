package taxonomy

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// TermFilter chooses terms; the zero value chooses all.
type TermFilter struct {
	Domain   string `query:"domain" enum:"content,skills,subjects,identity"`
	Facet    string `query:"facet" maxLength:"200" doc:"Slug of a facet"`
	ParentID ids.ID `query:"parent" noun:"term" doc:"Terms directly below this one"`
	Top      bool   `query:"top" doc:"Terms at the top of their trees"`
	Retired  *bool  `query:"retired" doc:"true: only retired terms; false: only active ones. Default: both"`
	Prefix   string `query:"q" maxLength:"200" doc:"How the slug or the label begins, whatever the case" example:"photo"`
	db.Page
}

// ListTerms gives terms by facet and slug, retired and merged ones included.
func ListTerms(ctx context.Context, tx *db.Tx, filter TermFilter) (db.List[Term], error) {
	if err := mayRead(tx); err != nil {
		return db.List[Term]{}, err
	}
	page, err := filter.Check()
	if err != nil {
		return db.List[Term]{}, err
	}
	var rows []termRow
	total, err := db.ReadPage(ctx, filter.query(tx, &rows), page, &rows, "f.domain", "f.slug", "t.slug")
	if err != nil {
		return db.List[Term]{}, fmt.Errorf("list terms: %w", err)
	}
	return db.NewList(termsOf(rows), page, total), nil
}

func (f TermFilter) query(tx *db.Tx, into *[]termRow) *bun.SelectQuery {
	return selectTerms(tx, into).Apply(
		only("f.domain", f.Domain), only("f.slug", f.Facet), onlyID("r.parent_id", f.ParentID),
		func(q *bun.SelectQuery) *bun.SelectQuery {
			if f.Top {
				q = q.Where("r.parent_id is null")
			}
			if f.Retired != nil {
				q = q.Where("(t.retired_at is not null) = ?", *f.Retired)
			}
			if f.Prefix != "" {
				q = q.Where(prefixSQL, tx.Tenant(), f.Prefix)
			}
			return q
		})
}

// prefixSQL takes two ranges of two indexes; each ends with the last code point of
// Unicode, which no text has.
const prefixSQL = `t.id in (
	select id from terms where tenant_id = ?0 and slug >= lower(?1) and slug < lower(?1) || chr(1114111)
	union
	select id from terms where tenant_id = ?0 and label_key >= lower(?1) and label_key < lower(?1) || chr(1114111))`

func termsOf(rows []termRow) []Term {
	terms := make([]Term, 0, len(rows))
	for _, row := range rows {
		terms = append(terms, row.term())
	}
	return terms
}

func onlyID(column string, id ids.ID) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		if id == ids.None {
			return q
		}
		return q.Where("? = ?", bun.Ident(column), id)
	}
}
