package intake

import (
	"context"
	"fmt"
	"strings"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// termName is a term with the column that named it.
type termName struct {
	taxonomy.FacetTerm
	column string
}

// parseTerms reads the columns terms ("facet:term") and tags (terms of one facet).
func parseTerms(r row, in Input) []termName {
	var all []termName
	add := func(column, facet, term string) {
		name := taxonomy.FacetTerm{Facet: oneSpace(facet), Term: oneSpace(term)}
		if !name.Valid() {
			r.problem(column, "invalid_term", fmt.Sprintf("a facet and a term have a letter or digit and at most %d characters", taxonomy.MaxLength))
			return
		}
		all = append(all, termName{name, column})
	}
	for _, word := range r.list("terms") {
		facet, term, found := strings.Cut(word, ":")
		if !found {
			r.problem("terms", "invalid_term", "expected facet:term, several of them parted by semicolons")
			continue
		}
		add("terms", facet, term)
	}
	for _, tag := range r.list("tags") {
		add("tags", in.tagsFacet(), tag)
	}
	return all
}

func oneSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// checkTerms names terms that do not exist yet when the caller must not make them.
func checkTerms[T any](ctx context.Context, tx *db.Tx, records []record[T], named func(T) []termName) error {
	names := termsOf(records, named)
	if len(names) == 0 || tx.Can(capability.TaxonomyManage) {
		return nil
	}
	found, err := taxonomy.Resolve(ctx, tx, names, false)
	if err != nil {
		return err
	}
	for _, r := range records {
		for _, name := range named(r.value) {
			if _, known := found[name.FacetTerm]; !known {
				r.rows[0].problem(name.column, "unknown_term", "there is no such term, and making one needs taxonomy.manage")
			}
		}
	}
	return nil
}

// makeTerms gives the ids of all terms and makes those that are missing.
func makeTerms[T any](ctx context.Context, tx *db.Tx, records []record[T], named func(T) []termName) (map[taxonomy.FacetTerm]ids.ID, error) {
	names := termsOf(records, named)
	if len(names) == 0 {
		return nil, nil //nolint:nilnil // no terms
	}
	return taxonomy.Resolve(ctx, tx, names, true)
}

func termsOf[T any](records []record[T], named func(T) []termName) []taxonomy.FacetTerm {
	var names []taxonomy.FacetTerm
	for _, r := range records {
		for _, name := range named(r.value) {
			names = append(names, name.FacetTerm)
		}
	}
	return names
}

func termIDs(names []termName, known map[taxonomy.FacetTerm]ids.ID) []ids.ID {
	all := make([]ids.ID, 0, len(names))
	for _, name := range names {
		all = append(all, known[name.FacetTerm])
	}
	return distinct(all)
}
