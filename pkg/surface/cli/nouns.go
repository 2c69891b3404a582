package cli

import (
	"context"
	"reflect"
	"strconv"
	"strings"

	"assess/pkg/author/pack"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// named finds what a word names by the noun of its field; what has no other name goes by its id.
func named(noun string) func(ctx context.Context, tx *db.Tx, word string, input reflect.Value) (ids.ID, error) {
	if find := nouns[noun]; find != nil {
		return find
	}
	return func(_ context.Context, _ *db.Tx, word string, _ reflect.Value) (ids.ID, error) {
		return recordID(strings.ReplaceAll(noun, "-", " "), word)
	}
}

// nouns find what a word names, by the noun of the field (package op): each takes an id, or what people call it. input is
// the input as far as it is filled. A noun that means something without a word gets none.
var nouns = map[string]func(ctx context.Context, tx *db.Tx, word string, input reflect.Value) (ids.ID, error){
	"evaluation": func(ctx context.Context, tx *db.Tx, word string, _ reflect.Value) (ids.ID, error) {
		return findEvaluation(ctx, tx, word)
	},
	"facet": func(ctx context.Context, tx *db.Tx, word string, _ reflect.Value) (ids.ID, error) {
		facet, err := taxonomy.FindFacet(ctx, tx, word)
		return facet.ID, err
	},
	"group": func(ctx context.Context, tx *db.Tx, word string, _ reflect.Value) (ids.ID, error) {
		return findGroupID(ctx, tx, word)
	},
	"evaluation-version": func(ctx context.Context, tx *db.Tx, word string, _ reflect.Value) (ids.ID, error) {
		return evaluationVersion(ctx, tx, word)
	},
	"idp": func(ctx context.Context, tx *db.Tx, word string, _ reflect.Value) (ids.ID, error) {
		return findIDP(ctx, tx, word)
	},
	"library":  findLibrary,
	"org-unit": findTarget,
	"passage": func(ctx context.Context, tx *db.Tx, word string, _ reflect.Value) (ids.ID, error) {
		return findPassage(ctx, tx, word)
	},
	"question": func(ctx context.Context, tx *db.Tx, word string, _ reflect.Value) (ids.ID, error) {
		return findQuestion(ctx, tx, word)
	},
	"revision": findRevision,
	"role": func(ctx context.Context, tx *db.Tx, word string, _ reflect.Value) (ids.ID, error) {
		role, err := findRole(ctx, tx, word)
		return role.ID, err
	},
	"user": func(ctx context.Context, tx *db.Tx, word string, _ reflect.Value) (ids.ID, error) {
		return findUserID(ctx, tx, word)
	},
	"term": func(ctx context.Context, tx *db.Tx, word string, _ reflect.Value) (ids.ID, error) {
		return termID(ctx, tx, word)
	},
}

// findLibrary finds a library by its id or its name.
func findLibrary(ctx context.Context, tx *db.Tx, word string, _ reflect.Value) (ids.ID, error) {
	id, err := ids.Parse("library", word)
	if err == nil {
		return id, nil
	}
	var found []ids.ID
	for _, archived := range []bool{false, true} {
		filter := pack.LibraryFilter{Archived: archived, Page: some}
		list, err := readPages(true, &filter.Page, func() (db.List[pack.LibrarySummary], error) { return pack.ListLibraries(ctx, tx, filter) }, pagedOf)
		if err != nil {
			return ids.None, err
		}
		for _, l := range list.Items {
			if l.Name == word {
				found = append(found, l.ID)
			}
		}
	}
	switch {
	case len(found) == 0:
		return ids.None, errs.New(errs.NotFound, "There is no library %q.", word)
	case len(found) > 1:
		return ids.None, Usage("%d libraries are called %q: give the id of one", len(found), word)
	}
	return found[0], nil
}

// findRevision finds a revision of the library by its id or number; without one it is the newest.
func findRevision(ctx context.Context, tx *db.Tx, word string, input reflect.Value) (ids.ID, error) {
	id, err := ids.Parse("revision", word)
	if err == nil {
		return id, nil
	}
	number := 0
	if word != "" {
		number, err = strconv.Atoi(word)
		if err != nil || number < 1 {
			return ids.None, Usage("%q is no revision: give its number or its id", word)
		}
	}
	library := input.FieldByName("LibraryID").Interface().(ids.ID)
	r, err := pack.FindRevision(ctx, tx, library, number)
	return r.ID, err
}

// findTarget finds an org unit by its id or slug; without one it is that of the call.
func findTarget(ctx context.Context, tx *db.Tx, word string, _ reflect.Value) (ids.ID, error) {
	if word == "" {
		return tx.HomeOrgUnit()
	}
	unit, err := people.FindOrgUnit(ctx, tx, word)
	return unit.ID, err
}
