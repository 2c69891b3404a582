package cli

import (
	"context"

	"github.com/spf13/cobra"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/intake"
)

const taxonomyLong = `Keep the vocabulary of a tenant: facets, their terms, and the trees of terms.

A TERM is an id, facet:slug for the content domain, or domain/facet:slug. A FACET is an id,
a slug of the content domain, or domain/slug.`

func newTaxonomy(s *Shell) *cobra.Command {
	g := wide(group("taxonomy", "Keep facets, terms and their trees",
		newTaxonomyFacets(s), newTaxonomyList(s), newTaxonomyTree(s), newTaxonomyCreate(s), newTaxonomyMove(s), newTaxonomyMerge(s),
		newAct(s, "retire TERM", "Retire a term: it cannot be assigned anew", found("term", termID, taxonomy.Retire), fields(termColumns)),
		newAct(s, "restore TERM", "Restore a retired term", found("term", termID, taxonomy.Restore), fields(termColumns)),
		newTaxonomyCheck(s), newTaxonomyExport(s),
		group("import", "Import terms from a CSV file", newImportPreview(s, importedTerms), newImportCommit(s, importedTerms))))
	g.Long = taxonomyLong
	return g
}

var importedTerms = imported{
	noun: "terms", preview: intake.PreviewTerms, commit: intake.CommitTerms,
	columns: "facet, slug (required), domain, label, parent (a slug), retired",
	flags:   func(*cobra.Command, *intake.Input) {},
}

func newTaxonomyFacets(s *Shell) *cobra.Command {
	var filter taxonomy.FacetFilter
	cmd := newList(s, "facets", "List facets", &filter.Page, with(&filter, taxonomy.ListFacets),
		columns[taxonomy.Facet]("Domain, Slug = Facet, Label, ID*"))
	cmd.Flags().StringVar(&filter.Domain, "domain", "", "content, skills, subjects or identity")
	return cmd
}

func newTaxonomyList(s *Shell) *cobra.Command {
	var filter taxonomy.TermFilter
	var parent, facet string
	var retired, active bool
	cmd := newList(s, "list", "List terms", &filter.Page, func(ctx context.Context, tx *db.Tx, _ []string) (db.List[taxonomy.Term], error) {
		if retired != active {
			filter.Retired = &retired
		}
		err := ifNamed(ctx, tx, facet, facetID, &filter.FacetID)
		if err == nil {
			err = ifNamed(ctx, tx, parent, termID, &filter.ParentID)
		}
		if err != nil {
			return db.List[taxonomy.Term]{}, err
		}
		return taxonomy.ListTerms(ctx, tx, filter)
	}, termColumns)
	cmd.Flags().StringVar(&filter.Domain, "domain", "", "content, skills, subjects or identity")
	cmd.Flags().StringVar(&facet, "facet", "", "terms of this FACET")
	cmd.Flags().StringVar(&parent, "below", "", "terms directly below this TERM")
	cmd.Flags().BoolVar(&filter.Top, "top", false, "terms at the top of their trees")
	cmd.Flags().StringVar(&filter.Prefix, "prefix", "", "how the slug or the label begins")
	cmd.Flags().BoolVar(&retired, "retired", false, "retired terms alone")
	cmd.Flags().BoolVar(&active, "active", false, "active terms alone")
	return cmd
}

func facetID(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	facet, err := taxonomy.FindFacet(ctx, tx, word)
	return facet.ID, unknown("facet", word, err)
}

func termID(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	term, err := taxonomy.FindTerm(ctx, tx, word)
	return term.ID, unknown("term", word, err)
}

var termColumns = columns("Term, Label, Status, ID*",
	Column[taxonomy.Term]{Header: "Term", Cell: func(t taxonomy.Term) string { return t.Facet + ":" + t.Slug }},
	Column[taxonomy.Term]{Header: "Status", Cell: termStatus, Colour: func(t taxonomy.Term) Colour { return goodIf(t.RetiredAt == nil) }},
)

func termStatus(t taxonomy.Term) string {
	switch {
	case t.MergedInto != nil:
		return "merged"
	case t.RetiredAt != nil:
		return "retired"
	}
	return "active"
}
