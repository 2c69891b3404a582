package httpapi

import (
	"context"

	"assess/pkg/db"
	"assess/pkg/taxonomy"
)

type listFacetsInput struct {
	Domain string `query:"domain" enum:"content,skills,subjects,identity"`
	PageQuery
}

func listFacets(ctx context.Context, tx *db.Tx, in *listFacetsInput) (db.List[taxonomy.Facet], error) {
	return taxonomy.ListFacets(ctx, tx, taxonomy.FacetFilter{Domain: in.Domain, Page: in.page()})
}

type createFacetInput struct{ Body taxonomy.FacetInput }

func createFacet(ctx context.Context, tx *db.Tx, in *createFacetInput) (taxonomy.Facet, error) {
	return taxonomy.CreateFacet(ctx, tx, in.Body)
}

type listTermsInput struct {
	Domain string `query:"domain" enum:"content,skills,subjects,identity"`
	Facet  string `query:"facet" maxLength:"200" doc:"Slug of a facet"`
	PageQuery
}

func listTerms(ctx context.Context, tx *db.Tx, in *listTermsInput) (db.List[taxonomy.Term], error) {
	return taxonomy.ListTerms(ctx, tx, taxonomy.TermFilter{Domain: in.Domain, Facet: in.Facet, Page: in.page()})
}

type createTermInput struct{ Body taxonomy.TermInput }

func createTerm(ctx context.Context, tx *db.Tx, in *createTermInput) (taxonomy.Term, error) {
	return taxonomy.CreateTerm(ctx, tx, in.Body)
}
