package op

import (
	"assess/pkg/author/authoring"
	"assess/pkg/author/taxonomy"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/capability"
)

// Taxonomy are the operations on facets and terms. Words of the domain skills have a capability of their own, which the
// operations know. Trees, checks and files are commands by hand.
func Taxonomy() []Line {
	readers, managers := needs(capability.TaxonomyRead, capability.SkillsTaxonomy), needs(capability.TaxonomyManage, capability.SkillsTaxonomy)
	return []Line{
		read("GET /taxonomy/facets", "listFacets", "taxonomy facets", readers, "List facets", taxonomy.ListFacets),
		write("POST /taxonomy/facets", "createFacet", "taxonomy create-facet LABEL", managers, "Create a facet", taxonomy.CreateFacet).creates(),
		read("GET /taxonomy/facets/{id}", "getFacet", "taxonomy facet FACET", readers, "Read a facet", one(taxonomy.GetFacet)),
		write("PATCH /taxonomy/facets/{id}", "updateFacet", "taxonomy update-facet FACET", managers, "Change the names of a facet", ofOne(taxonomy.UpdateFacet)),
		read("GET /taxonomy/terms", "listTerms", "taxonomy list", readers, "List terms", taxonomy.ListTerms),
		write("POST /taxonomy/terms", "createTerm", "taxonomy create FACET LABEL", managers, "Create a term", taxonomy.CreateTerm).creates(),
		read("GET /taxonomy/terms/{id}", "getTerm", "taxonomy show TERM", readers, "Read a term", one(taxonomy.GetTerm)),
		write("PATCH /taxonomy/terms/{id}", "updateTerm", "taxonomy update TERM", managers, "Change the names of a term, or move it", ofOne(taxonomy.UpdateTerm)),
		read("GET /taxonomy/terms/{id}/children", "listTermChildren", "taxonomy children TERM", readers, "List the terms directly below a term", ofOne(taxonomy.Children)),
		read("GET /taxonomy/terms/{id}/ancestors", "listTermAncestors", "taxonomy ancestors TERM", readers, "List the terms above a term, from the top down", one(taxonomy.Ancestors)),
		write("POST /taxonomy/terms/{id}/retire", "retireTerm", "taxonomy retire TERM", managers, "Retire a term: it cannot be assigned anew", one(taxonomy.Retire)),
		write("POST /taxonomy/terms/{id}/restore", "restoreTerm", "taxonomy restore TERM", managers, "Restore a retired term", one(taxonomy.Restore)),
		read("GET /taxonomy/terms/{id}/where-used", "listTermUses", "taxonomy uses TERM", readers, "List what names a term, with counts by kind", ofOne(inventory.WhereUsed)),
		write("POST /taxonomy/terms/{id}/merge", "mergeTerm", "taxonomy merge TERM INTO", managers, "Merge a term into another one, with a dry run", ofOne(inventory.MergeTerm)).rehearsed().
			asks("Merge %[1]s into %[2]s?").says(`The term is retired for good. Drafts, draws and saved views of the whole tenant name the
other one instead, and what was below it is below the other one. Published versions never
change. The numbers are shown before the question.`),
		read("GET /taxonomy/questions/{id}/terms", "getQuestionTerms", "taxonomy question QUESTION", needs(capability.TaxonomyRead), "Read the terms of a question", one(authoring.GetQuestionTerms)),
		write("PUT /taxonomy/questions/{id}/terms", "setQuestionTerms", "taxonomy set-question QUESTION", needs(capability.TaxonomyManage), "Replace the terms of a question's draft", ofOne(authoring.SetQuestionTerms)),
		read("GET /taxonomy/evaluations/{id}/terms", "getEvaluationTerms", "taxonomy evaluation EVALUATION", needs(capability.TaxonomyRead), "Read the terms of an evaluation", one(authoring.GetEvaluationTerms)),
		write("PUT /taxonomy/evaluations/{id}/terms", "setEvaluationTerms", "taxonomy set-evaluation EVALUATION", needs(capability.TaxonomyManage), "Replace the terms of an evaluation's draft", ofOne(authoring.SetEvaluationTerms)),
	}
}
