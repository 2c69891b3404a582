package authoring

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// itemUse is a question or passage that an evaluation names at a path; held says that its
// newest version names it already.
type itemUse struct {
	path string
	id   ids.ID
	held bool
}

// uses is everything that an input names and that has to be looked up in the database.
type uses struct {
	questions, passages []itemUse
	terms               []termUse
	facets              []facetUse
	documents           []placedDocument
}

func (u *uses) add(other uses) {
	u.questions, u.passages = append(u.questions, other.questions...), append(u.passages, other.passages...)
	u.terms, u.facets = append(u.terms, other.terms...), append(u.facets, other.facets...)
	u.documents = append(u.documents, other.documents...)
}

// check names everything that cannot be used: records that the scope does not have, archived
// records (unless the newest version names them already), and terms, facets and documents that
// are not allowed.
func (u uses) check(ctx context.Context, tx *db.Tx) (problems, error) {
	questions, err := statuses(ctx, tx, "questions", u.questions)
	if err != nil {
		return nil, err
	}
	passages, err := statuses(ctx, tx, "passages", u.passages)
	if err != nil {
		return nil, err
	}
	var p problems
	p.unusable("question", u.questions, questions)
	p.unusable("passage", u.passages, passages)
	terms, err := checkTerms(ctx, tx, u.terms)
	if err != nil {
		return nil, err
	}
	facets, err := checkFacets(ctx, tx, u.facets)
	if err != nil {
		return nil, err
	}
	shown, err := checkDocuments(ctx, tx, u.documents)
	return slices.Concat(p, terms, facets, shown), err
}

// uses gives everything that an input names; paths start at path.
func (in EvaluationInput) uses(e *evaluationEdit, path string) (uses, error) {
	held := make(map[ids.ID]bool, len(e.version.Items))
	for _, item := range e.version.Items {
		for _, id := range slices.Concat(versionIDs(item.QuestionID, item.PassageID), item.DrawTerms, item.DrawExclude) {
			held[id] = true
		}
	}
	u := uses{facets: in.Settings.facetUses(path), terms: termUses(path, in.TaxonomyTermIDs, e.version.TermIDs)}
	for i, section := range in.Sections {
		for j, item := range section.Items {
			u.addItem(element(element(path, "sections", i), "items", j), item, held)
		}
	}
	return u, nil
}

func (u *uses) addItem(path string, item ItemInput, held map[ids.ID]bool) {
	if item.QuestionID != ids.None {
		u.questions = append(u.questions, itemUse{path + ".questionId", item.QuestionID, held[item.QuestionID]})
	}
	if item.PassageID != ids.None {
		u.passages = append(u.passages, itemUse{path + ".passageId", item.PassageID, held[item.PassageID]})
	}
	if item.Draw == nil {
		return
	}
	for i, id := range item.Draw.TaxonomyTermIDs {
		u.terms = append(u.terms, termUse{element(path+".draw", "taxonomyTermIds", i), id, held[id]})
	}
	for i, id := range item.Draw.ExcludeTaxonomyTermIDs {
		u.terms = append(u.terms, termUse{element(path+".draw", "excludeTaxonomyTermIds", i), id, held[id]})
	}
}

func (p *problems) unusable(noun string, named []itemUse, status map[ids.ID]string) {
	for _, use := range named {
		found, known := status[use.id]
		p.addIf(!known, use.path, "unknown_"+noun, "there is no such "+noun+" in your scope")
		p.addIf(found == models.AuthoringArchived && !use.held, use.path, "archived", "the "+noun+" is archived")
	}
}

// statuses gives the states of rows of questions or passages that the scope has.
func statuses(ctx context.Context, tx *db.Tx, table string, named []itemUse) (map[ids.ID]string, error) {
	status := make(map[ids.ID]string, len(named))
	if len(named) == 0 {
		return status, nil
	}
	wanted := each(named, func(use itemUse) ids.ID { return use.id })
	rows, err := tx.Query(ctx, "select id, status from "+table+` where tenant_id = $1 and id = any($2) and ($3 or org_unit_id = $4)`,
		tx.Tenant(), wanted, tx.Scope().All, tx.Scope().OrgUnit)
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", table, err)
	}
	var id ids.ID
	var state string
	_, err = pgx.ForEachRow(rows, []any{&id, &state}, func() error {
		status[id] = state
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find %s: %w", table, err)
	}
	return status, nil
}

// termUse is a term that an input names at a path; held says that the newest version names it
// already.
type termUse struct {
	path string
	id   ids.ID
	held bool
}

func termUses(path string, named, held []ids.ID) []termUse {
	uses := make([]termUse, len(named))
	for i, id := range named {
		uses[i] = termUse{element(path, "taxonomyTermIds", i), id, slices.Contains(held, id)}
	}
	return uses
}

// checkTerms names the terms that cannot be used: questions and evaluations take existing terms of
// the content domain, and a retired one only if they have it already (specification, section 2.6).
func checkTerms(ctx context.Context, tx *db.Tx, uses []termUse) (problems, error) {
	wanted := each(uses, func(use termUse) ids.ID { return use.id })
	names, err := taxonomy.Assignable(ctx, tx, wanted)
	if err != nil {
		return nil, err
	}
	var p problems
	for _, use := range uses {
		name, known := names[use.id]
		switch {
		case !known:
			p.add(use.path, "unknown_term", "there is no such term")
		case name.Domain != models.DomainContent:
			p.add(use.path, "wrong_domain", "the term does not belong to the content domain")
		case name.Retired && !use.held:
			p.add(use.path, "retired_term", "the term is retired")
		case name.ID != use.id && !use.held:
			p.add(use.path, "retired_term", "the term was merged into "+name.Facet+":"+name.Term)
		}
	}
	return p, nil
}
