package authoring

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/models"
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

// uses is all that an evaluation names.
type uses struct {
	questions, passages []itemUse
	terms               []termUse
	facets              []facetUse
}

func (u *uses) add(other uses) {
	u.questions, u.passages = append(u.questions, other.questions...), append(u.passages, other.passages...)
	u.terms, u.facets = append(u.terms, other.terms...), append(u.facets, other.facets...)
}

// uses says what an input names; paths start at path.
func (e evaluationEdit) uses(path string, in EvaluationInput) uses {
	held := e.held()
	u := uses{facets: in.Settings.facetUses(path)}
	for i, id := range in.TaxonomyTermIDs {
		u.terms = append(u.terms, termUse{element(path, "taxonomyTermIds", i), id, slices.Contains(e.version.TermIDs, id)})
	}
	for i, section := range in.Sections {
		for j, item := range section.Items {
			u.addItem(element(element(path, "sections", i), "items", j), item, held)
		}
	}
	return u
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

// held lists what the items of the newest version name.
func (e evaluationEdit) held() map[ids.ID]bool {
	held := make(map[ids.ID]bool, len(e.version.items))
	for _, item := range e.version.items {
		for _, id := range slices.Concat(versionIDs(item.QuestionID, item.PassageID), item.DrawTerms, item.DrawExclude) {
			held[id] = true
		}
	}
	return held
}

// checkUses says what cannot be used: what the scope does not have, what is archived,
// except where it stands already, and terms as for questions.
func checkUses(ctx context.Context, tx *db.Tx, u uses) (problems, error) {
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
	return slices.Concat(p, terms, facets), err
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
	wanted := make([]ids.ID, 0, len(named))
	for _, use := range named {
		wanted = append(wanted, use.id)
	}
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
