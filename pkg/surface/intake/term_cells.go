package intake

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// termName is a term with the cell that named it.
type termName struct {
	taxonomy.FacetTerm
	row    row
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
		all = append(all, termName{name, r, column})
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

// knownTerms gives the ids of the terms that exist. It reports the rows of missing ones,
// with the terms that may have been meant, unless the file is to make them.
func knownTerms[T any](ctx context.Context, tx *db.Tx, in Input, records []record[T], named func(T) []termName) (map[taxonomy.FacetTerm]ids.ID, error) {
	names := termsOf(records, named)
	if len(names) == 0 {
		return nil, nil //nolint:nilnil // no terms
	}
	known, err := taxonomy.Resolve(ctx, tx, names, false)
	if err != nil {
		return nil, err
	}
	if in.CreateTerms {
		checkNewTerms(records, named, known)
		return known, tx.Require(capability.TaxonomyManage)
	}
	var missing []taxonomy.FacetTerm
	for _, name := range names {
		if _, there := known[name]; !there {
			missing = append(missing, name)
		}
	}
	near, err := taxonomy.Near(ctx, tx, missing)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		for _, name := range named(r.value) {
			if _, there := known[name.FacetTerm]; !there {
				name.row.problem(name.column, "unknown_term", unknownTerm(near[name.Slugs()]))
			}
		}
	}
	return known, nil
}

// checkNewTerms counts the terms of a record where some have no id yet.
func checkNewTerms[T any](records []record[T], named func(T) []termName, known map[taxonomy.FacetTerm]ids.ID) {
	for _, r := range records {
		all, isNew := map[taxonomy.FacetTerm]bool{}, false
		for _, name := range named(r.value) {
			_, there := known[name.FacetTerm]
			all[name.Slugs()], isNew = true, isNew || !there
		}
		if isNew && len(all) > authoring.MaxTerms {
			name := named(r.value)[0]
			name.row.problem(name.column, "too_many", fmt.Sprintf("at most %d terms", authoring.MaxTerms))
		}
	}
}

// unknownTerm says which terms may have been meant.
func unknownTerm(near []taxonomy.FacetTerm) string {
	if len(near) == 0 {
		return "there is no such term; make it first, or let the import make it (createTerms)"
	}
	words := make([]string, len(near))
	for i, name := range near {
		words[i] = name.Facet + ":" + name.Term
	}
	return "there is no such term; near it are " + strings.Join(words, ", ")
}

// makeTerms gives the ids of all terms, and makes missing ones if the file may.
func makeTerms[T any](ctx context.Context, tx *db.Tx, in Input, records []record[T], named func(T) []termName) (map[taxonomy.FacetTerm]ids.ID, error) {
	names := termsOf(records, named)
	if len(names) == 0 {
		return nil, nil //nolint:nilnil // no terms
	}
	return taxonomy.Resolve(ctx, tx, names, in.CreateTerms)
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

// withTerms adds the terms of the cells to the terms of the column content.
func withTerms(given []ids.ID, names []termName, known map[taxonomy.FacetTerm]ids.ID) []ids.ID {
	all := append([]ids.ID{}, given...)
	for _, name := range names {
		if id, there := known[name.FacetTerm]; there {
			all = append(all, id)
		}
	}
	return distinct(all)
}

var termPath = regexp.MustCompile(`^taxonomyTermIds\[(\d+)\]`)

// cellOfTerm gives the cell that named one of all the terms of a record, by the term's path.
func cellOfTerm(r row, path string, all []ids.ID, names []termName, known map[taxonomy.FacetTerm]ids.ID) (row, string) {
	m := termPath.FindStringSubmatch(path)
	if m == nil && len(names) > 0 {
		return names[0].row, names[0].column
	}
	if m == nil {
		return r, "terms"
	}
	i, _ := strconv.Atoi(m[1])
	for _, name := range names {
		if id, there := known[name.FacetTerm]; there && i < len(all) && all[i] == id {
			return name.row, name.column
		}
	}
	if r.text("content") != "" {
		return r, "content"
	}
	return r, "terms"
}
