package taxonomy

import (
	"context"
	"strings"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// FindTerm finds a term by the text that a person writes: its id, "facet:slug" of the
// content domain or "domain/facet:slug". Errors: not_found.
func FindTerm(ctx context.Context, tx *db.Tx, word string) (Term, error) {
	if id, err := ids.Parse("term", word); err == nil {
		return GetTerm(ctx, tx, id)
	}
	if err := mayRead(tx); err != nil {
		return Term{}, err
	}
	facet, slug, named := strings.Cut(word, ":")
	domain, facet := splitDomain(facet)
	if !named || !storable(word) {
		return Term{}, errs.New(errs.NotFound, "There is no such term.")
	}
	var row termRow
	err := selectTerms(tx, &row).Where("f.domain = ?", domain).Where("f.slug = ?", facet).Where("t.slug = ?", slug).Scan(ctx)
	return row.term(), found("term", err)
}

// FindFacet finds a facet by its id, its slug in the content domain, or "domain/slug".
// Errors: not_found.
func FindFacet(ctx context.Context, tx *db.Tx, word string) (Facet, error) {
	if id, err := ids.Parse("facet", word); err == nil {
		return GetFacet(ctx, tx, id)
	}
	if err := mayRead(tx); err != nil {
		return Facet{}, err
	}
	domain, slug := splitDomain(word)
	if !storable(word) {
		return Facet{}, errs.New(errs.NotFound, "There is no such facet.")
	}
	var row models.Facet
	err := tx.NewSelect().Model(&row).Where("f.tenant_id = ?", tx.Tenant()).Where("f.domain = ?", domain).Where("f.slug = ?", slug).Scan(ctx)
	return facetOf(row), found("facet", err)
}

func splitDomain(word string) (string, string) {
	domain, slug, named := strings.Cut(word, "/")
	if !named {
		return models.DomainContent, word
	}
	return domain, slug
}

// Forest gives all terms of some facets from the top down: every term before the terms
// below it, and siblings by slug. No facet means all. Errors: validation_failed
// (too_many) for more than MaxDescendants terms.
func Forest(ctx context.Context, tx *db.Tx, facets ...ids.ID) ([]Term, error) {
	if err := mayRead(tx); err != nil {
		return nil, err
	}
	var rows []termRow
	query := selectTerms(tx, &rows).Order("f.domain", "f.slug", "t.slug").Limit(MaxDescendants + 1)
	if len(facets) > 0 {
		query = query.Where("t.facet_id in (?)", bun.List(facets))
	}
	err := query.Scan(ctx)
	if err != nil {
		return nil, found("terms", err)
	}
	if len(rows) > MaxDescendants {
		return nil, errs.Invalid(errs.Field{Path: "facet", Code: "too_many", Message: "choose a facet: there are too many terms"})
	}
	return topDown(rows), nil
}

func topDown(rows []termRow) []Term {
	below := map[ids.ID][]termRow{}
	for _, r := range rows {
		parent := ids.None
		if r.ParentID != nil {
			parent = *r.ParentID
		}
		below[parent] = append(below[parent], r)
	}
	ordered := make([]Term, 0, len(rows))
	var visit func(parent ids.ID)
	visit = func(parent ids.ID) {
		for _, r := range below[parent] {
			ordered = append(ordered, r.term())
			visit(r.ID)
		}
	}
	visit(ids.None)
	return ordered
}
