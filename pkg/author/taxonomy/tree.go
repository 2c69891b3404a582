package taxonomy

import (
	"context"
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// MaxDepth is the most levels that a tree has, its top included.
const MaxDepth = 16

// checkParent says whether a term, stored or new, may be below a parent. The facet is
// locked. Errors: taxonomy_cycle.
func (r termRow) checkParent(ctx context.Context, tx *db.Tx, parent *ids.ID) ([]errs.Field, error) {
	if parent == nil {
		return nil, nil
	}
	var rows []termRow
	err := selectTerms(tx, &rows).Where("t.id = ?", *parent).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("find parent: %w", err)
	}
	bad := func(code, message string) ([]errs.Field, error) {
		return []errs.Field{{Path: "parentId", Code: code, Message: message}}, nil
	}
	switch {
	case len(rows) == 0:
		return bad("unknown_term", "there is no such term")
	case rows[0].FacetID != r.FacetID:
		return bad("wrong_facet", "a term and its parent belong to one facet")
	case rows[0].MergedInto != nil:
		return bad("merged_term", "the term was merged into another one")
	}
	shape, err := shapeOf(ctx, tx, r.ID, *parent)
	if err != nil {
		return nil, err
	}
	if shape.cycle {
		return nil, errs.New(errs.TaxonomyCycle, "A term cannot stand below itself.").With("termId", r.ID).With("parentId", *parent)
	}
	if shape.above+shape.below > MaxDepth {
		return bad("too_deep", fmt.Sprintf("the tree would have more than %d levels", MaxDepth))
	}
	return nil, nil
}

// shape is the result of a move: the levels down to the parent, and the levels from the
// term down to its lowest descendant, including the term.
type shape struct {
	cycle        bool
	above, below int
}

// shapeOf stops at 64 levels, so that even a damaged tree gives an answer.
func shapeOf(ctx context.Context, tx *db.Tx, term, parent ids.ID) (shape, error) {
	var s shape
	err := tx.QueryRow(ctx, `
		with recursive above as (
			select $3::uuid as id, 1 as level
			union all
			select r.parent_id, a.level + 1 from above a
			join term_relations r on r.tenant_id = $1 and r.term_id = a.id where a.level < 64
		), below as (
			select $2::uuid as id, 1 as level
			union all
			select r.term_id, b.level + 1 from below b
			join term_relations r on r.tenant_id = $1 and r.parent_id = b.id where b.level < 64
		)
		select exists (select from above where id = $2), (select max(level) from above), (select max(level) from below)`,
		tx.Tenant(), term, parent).Scan(&s.cycle, &s.above, &s.below)
	if err != nil {
		return shape{}, fmt.Errorf("look at the tree: %w", err)
	}
	return s, nil
}

// place puts a term below a parent, or at the top.
func place(ctx context.Context, tx *db.Tx, term ids.ID, parent *ids.ID) error {
	sql, args := "delete from term_relations where tenant_id = $1 and term_id = $2", []any{tx.Tenant(), term}
	if parent != nil {
		sql = `insert into term_relations (tenant_id, term_id, parent_id, created_at) values ($1, $2, $3, $4)
			on conflict (tenant_id, term_id) do update set parent_id = excluded.parent_id, created_at = excluded.created_at`
		args = append(args, *parent, tx.Now())
	}
	_, err := tx.Exec(ctx, sql, args...)
	if err != nil {
		return fmt.Errorf("place term: %w", err)
	}
	return nil
}

// Children gives the terms directly below a term, by slug. Errors: not_found.
func Children(ctx context.Context, tx *db.Tx, id ids.ID, page db.Page) (db.List[Term], error) {
	_, err := GetTerm(ctx, tx, id)
	if err != nil {
		return db.List[Term]{}, err
	}
	return ListTerms(ctx, tx, TermFilter{ParentID: id, Page: page})
}

// Ancestors gives the terms above a term on one page, from the top down to its parent.
// Errors: not_found.
func Ancestors(ctx context.Context, tx *db.Tx, id ids.ID) (db.List[Term], error) {
	_, err := GetTerm(ctx, tx, id)
	if err != nil {
		return db.List[Term]{}, err
	}
	var rows []termRow
	err = selectTerms(tx, &rows).
		Join("join ("+aboveSQL+") a on a.id = t.id", tx.Tenant(), id, MaxDepth).
		Order("a.level desc").Scan(ctx)
	if err != nil {
		return db.List[Term]{}, fmt.Errorf("find ancestors: %w", err)
	}
	return db.NewList(termsOf(rows), db.Page{Page: 1, Limit: MaxDepth}, len(rows)), nil
}

const aboveSQL = `
	with recursive above as (
		select parent_id as id, 1 as level from term_relations where tenant_id = ?0 and term_id = ?1
		union all
		select r.parent_id, a.level + 1 from above a
		join term_relations r on r.tenant_id = ?0 and r.term_id = a.id where a.level < ?2
	)
	select id, level from above`
