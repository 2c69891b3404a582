package taxonomy

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
)

// The bounds of the search for near names.
const (
	maxNear       = 3
	nearNames     = 200
	nearFacets    = 1_000
	nearTermsEach = 5_000
)

// Near gives, by their slugs, the terms of the content domain that names without a term may
// have meant: terms whose slug is few letters away, the nearest first, in the facet that the
// name has or in one with a similar spelling. It looks at the first 200 names and at 5,000
// terms of a facet, in two statements.
func Near(ctx context.Context, tx *db.Tx, names []FacetTerm) (map[FacetTerm][]FacetTerm, error) {
	wanted := distinct(names).slugs
	wanted = wanted[:min(len(wanted), nearNames)]
	found := make(map[FacetTerm][]FacetTerm, len(wanted))
	if len(wanted) == 0 {
		return found, nil
	}
	facets, err := contentFacets(ctx, tx)
	if err != nil {
		return nil, err
	}
	meant := map[string][]string{}
	var searched []string
	for _, name := range wanted {
		if _, known := meant[name.Facet]; !known {
			meant[name.Facet] = facetsLike(name.Facet, facets)
			searched = append(searched, meant[name.Facet]...)
		}
	}
	terms, err := termsOfFacets(ctx, tx, searched)
	if err != nil {
		return nil, err
	}
	for _, name := range wanted {
		found[name] = nearest(name.Term, meant[name.Facet], terms)
	}
	return found, nil
}

func contentFacets(ctx context.Context, tx *db.Tx) ([]string, error) {
	rows, err := tx.Query(ctx, "select slug from facets where tenant_id = $1 and domain = $2 order by slug limit $3",
		tx.Tenant(), models.DomainContent, nearFacets)
	if err != nil {
		return nil, fmt.Errorf("read facets: %w", err)
	}
	facets, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("read facets: %w", err)
	}
	return facets, nil
}

func termsOfFacets(ctx context.Context, tx *db.Tx, facets []string) (map[string][]string, error) {
	rows, err := tx.Query(ctx, `
		select f.slug, t.slug from facets f
		cross join lateral (
			select slug from terms where tenant_id = $1 and facet_id = f.id and retired_at is null and merged_into is null
			order by slug limit $4
		) t
		where f.tenant_id = $1 and f.domain = $2 and f.slug = any($3)`, tx.Tenant(), models.DomainContent, facets, nearTermsEach)
	if err != nil {
		return nil, fmt.Errorf("read terms of facets: %w", err)
	}
	found := map[string][]string{}
	var facet, term string
	_, err = pgx.ForEachRow(rows, []any{&facet, &term}, func() error {
		found[facet] = append(found[facet], term)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read terms of facets: %w", err)
	}
	return found, nil
}

// facetsLike gives the facet of a slug, or else the facets with a similar spelling.
func facetsLike(slug string, facets []string) []string {
	if slices.Contains(facets, slug) {
		return []string{slug}
	}
	var like []string
	for _, facet := range facets {
		if distance(slug, facet, tolerance(slug)) <= tolerance(slug) {
			like = append(like, facet)
		}
	}
	return like
}

// nearest gives the terms that are few letters away from a slug.
func nearest(slug string, facets []string, terms map[string][]string) []FacetTerm {
	type candidate struct {
		FacetTerm
		away int
	}
	var all []candidate
	for _, facet := range facets {
		for _, term := range terms[facet] {
			away := distance(slug, term, tolerance(slug))
			if away <= tolerance(slug) {
				all = append(all, candidate{FacetTerm{facet, term}, away})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.away, b.away) })
	near := []FacetTerm{}
	for _, one := range all[:min(len(all), maxNear)] {
		near = append(near, one.FacetTerm)
	}
	return near
}

// tolerance is the number of letters that may be wrong in a slug.
func tolerance(slug string) int { return max(1, len([]rune(slug))/3) }

// distance counts the letters to insert, delete or change to turn one word into the other;
// if it is more than most, it may be any number above it.
func distance(one, other string, most int) int {
	a, b := []rune(one), []rune(other)
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal, least := row[0], i+1
		row[0] = i + 1
		for j := range b {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j+1]+1, row[j]+1)
			least = min(least, row[j+1])
		}
		if least > most {
			return most + 1
		}
	}
	return row[len(b)]
}
