package httpapi

import (
	"context"

	"assess/pkg/author/authoring"
	"assess/pkg/author/taxonomy"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
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

func getFacet(ctx context.Context, tx *db.Tx, in *ByID) (taxonomy.Facet, error) {
	return taxonomy.GetFacet(ctx, tx, in.ID)
}

type updateFacetInput struct {
	ByID
	Body taxonomy.FacetPatch
}

func updateFacet(ctx context.Context, tx *db.Tx, in *updateFacetInput) (taxonomy.Facet, error) {
	return taxonomy.UpdateFacet(ctx, tx, in.ID, in.Body)
}

type listTermsInput struct {
	Domain  string `query:"domain" enum:"content,skills,subjects,identity"`
	Facet   string `query:"facet" maxLength:"200" doc:"Slug of a facet"`
	Parent  ids.ID `query:"parent" doc:"Terms directly below this one"`
	Top     bool   `query:"top" doc:"Terms at the top of their trees"`
	Retired string `query:"retired" enum:"true,false" doc:"Retired terms alone, or active ones alone. Default: both"`
	Prefix  string `query:"q" maxLength:"200" doc:"How the slug or the label begins, whatever the case" example:"photo"`
	PageQuery
}

func listTerms(ctx context.Context, tx *db.Tx, in *listTermsInput) (db.List[taxonomy.Term], error) {
	filter := taxonomy.TermFilter{Domain: in.Domain, Facet: in.Facet, ParentID: in.Parent, Top: in.Top, Prefix: in.Prefix, Page: in.page()}
	if in.Retired != "" {
		retired := in.Retired == "true"
		filter.Retired = &retired
	}
	return taxonomy.ListTerms(ctx, tx, filter)
}

type createTermInput struct{ Body taxonomy.TermInput }

func createTerm(ctx context.Context, tx *db.Tx, in *createTermInput) (taxonomy.Term, error) {
	return taxonomy.CreateTerm(ctx, tx, in.Body)
}

func getTerm(ctx context.Context, tx *db.Tx, in *ByID) (taxonomy.Term, error) {
	return taxonomy.GetTerm(ctx, tx, in.ID)
}

type updateTermInput struct {
	ByID
	Body taxonomy.TermPatch
}

func updateTerm(ctx context.Context, tx *db.Tx, in *updateTermInput) (taxonomy.Term, error) {
	return taxonomy.UpdateTerm(ctx, tx, in.ID, in.Body)
}

type pageByIDInput struct {
	ByID
	PageQuery
}

func listTermChildren(ctx context.Context, tx *db.Tx, in *pageByIDInput) (db.List[taxonomy.Term], error) {
	return taxonomy.Children(ctx, tx, in.ID, in.page())
}

func listTermAncestors(ctx context.Context, tx *db.Tx, in *ByID) (db.List[taxonomy.Term], error) {
	return taxonomy.Ancestors(ctx, tx, in.ID)
}

func retireTerm(ctx context.Context, tx *db.Tx, in *ByID) (taxonomy.Term, error) {
	return taxonomy.Retire(ctx, tx, in.ID)
}

func restoreTerm(ctx context.Context, tx *db.Tx, in *ByID) (taxonomy.Term, error) {
	return taxonomy.Restore(ctx, tx, in.ID)
}

func listTermUses(ctx context.Context, tx *db.Tx, in *pageByIDInput) (inventory.TermUses, error) {
	return inventory.WhereUsed(ctx, tx, in.ID, in.page())
}

type mergeTermInput struct {
	ByID
	Body inventory.TermMergeInput
}

func mergeTerm(ctx context.Context, tx *db.Tx, in *mergeTermInput) (inventory.TermMerge, error) {
	return inventory.MergeTerm(ctx, tx, in.ID, in.Body)
}

func getQuestionTerms(ctx context.Context, tx *db.Tx, in *ByID) (authoring.AssignedTerms, error) {
	return authoring.GetQuestionTerms(ctx, tx, in.ID)
}

type setTermsInput struct {
	ByID
	Body authoring.TermsInput
}

func setQuestionTerms(ctx context.Context, tx *db.Tx, in *setTermsInput) (authoring.AssignedTerms, error) {
	return authoring.SetQuestionTerms(ctx, tx, in.ID, in.Body)
}

func getEvaluationTerms(ctx context.Context, tx *db.Tx, in *ByID) (authoring.AssignedTerms, error) {
	return authoring.GetEvaluationTerms(ctx, tx, in.ID)
}

func setEvaluationTerms(ctx context.Context, tx *db.Tx, in *setTermsInput) (authoring.AssignedTerms, error) {
	return authoring.SetEvaluationTerms(ctx, tx, in.ID, in.Body)
}
