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
	g := wide(group("taxonomy", "Keep facets, terms and their trees", s.operations("taxonomy", newTaxonomyTree(s), newTaxonomyCheck(s), newTaxonomyExport(s),
		group("import", "Import terms from a CSV file", newImportPreview(s, importedTerms), newImportCommit(s, importedTerms)))...))
	g.Long = taxonomyLong
	return g
}

var importedTerms = imported{
	noun: "terms", preview: intake.PreviewTerms, commit: intake.CommitTerms,
	columns: "facet, slug (required), domain, label, parent (a slug), retired",
	flags:   func(*cobra.Command, *intake.Input) {},
}

func facetID(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	facet, err := taxonomy.FindFacet(ctx, tx, word)
	return facet.ID, unknown("facet", word, err)
}

var facetColumns = columns[taxonomy.Facet]("Domain, Slug = Facet, Label, ID*")

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
