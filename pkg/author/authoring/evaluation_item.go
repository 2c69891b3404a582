package authoring

import (
	"fmt"
	"slices"

	"assess/models"
	"assess/pkg/kernel/ids"
)

// The bounds of a draw.
const (
	maxDrawn     = 500
	maxDrawTerms = 20
)

// Item is one place in a section: a fixed question, a passage with all its questions, or a
// draw; exactly one of the three. QuestionVersionID is the version that publishing pinned
// for a fixed question; for the other two the version has the pins
// (EvaluationVersionDetail). Weight, if set, replaces the weight of each question of the
// item, so that every session of a draw can earn the same.
type Item struct {
	ID                ids.ID   `json:"id"`
	QuestionID        ids.ID   `json:"questionId,omitzero"`
	QuestionVersionID *ids.ID  `json:"questionVersionId,omitempty"`
	PassageID         ids.ID   `json:"passageId,omitzero"`
	Draw              *Draw    `json:"draw,omitempty"`
	Weight            *float64 `json:"weight,omitempty"`
}

// Draw shows Count questions of a pool, chosen anew for each session. The pool has the
// published questions of the org unit that carry all of the terms, each term or one below
// it, and none of the excluded ones nor anything below them.
type Draw struct {
	Count                  int      `json:"count" minimum:"1" maximum:"500" doc:"How many questions a session shows" example:"5"`
	TaxonomyTermIDs        []ids.ID `json:"taxonomyTermIds" nullable:"false" minItems:"1" maxItems:"20" doc:"Terms that each question carries, itself or one below it"`
	ExcludeTaxonomyTermIDs []ids.ID `json:"excludeTaxonomyTermIds" required:"false" nullable:"false" maxItems:"20" doc:"Terms that no question carries, nor one below them"`
}

// ItemInput describes an item: exactly one of questionId, passageId and draw. Without an id
// it takes the id of the item with the same question, passage or draw in the version before.
type ItemInput struct {
	ID         ids.ID   `json:"id,omitzero"`
	QuestionID ids.ID   `json:"questionId,omitzero" doc:"A fixed question"`
	PassageID  ids.ID   `json:"passageId,omitzero" doc:"A passage with all its questions"`
	Draw       *Draw    `json:"draw,omitempty" doc:"Questions drawn anew for each session"`
	Weight     *float64 `json:"weight,omitempty" doc:"Replaces the weight of each question of the item"`
}

// item checks one item as far as this is possible without the database.
func (p *problems) item(path string, in ItemInput) {
	kinds := 0
	for _, given := range []bool{in.QuestionID != ids.None, in.PassageID != ids.None, in.Draw != nil} {
		if given {
			kinds++
		}
	}
	p.addIf(kinds == 0, path, "required", "name a question, a passage or a draw")
	p.addIf(kinds > 1, path, "one_kind_only", "name a question, a passage or a draw, and only one of them")
	p.weight(path+".weight", in.Weight)
	if in.Draw != nil {
		p.draw(path+".draw", *in.Draw)
	}
}

func (p *problems) draw(path string, d Draw) {
	p.addIf(d.Count < 1 || d.Count > maxDrawn, path+".count", "out_of_range", "a draw shows 1 to 500 questions")
	p.addIf(len(d.TaxonomyTermIDs) == 0, path+".taxonomyTermIds", "required", "name a term at least")
	p.drawTerms(path+".taxonomyTermIds", d.TaxonomyTermIDs)
	p.drawTerms(path+".excludeTaxonomyTermIds", d.ExcludeTaxonomyTermIDs)
	for i, term := range d.ExcludeTaxonomyTermIDs {
		p.addIf(slices.Contains(d.TaxonomyTermIDs, term), element(path, "excludeTaxonomyTermIds", i), "contradiction",
			"the draw asks for the term too")
	}
}

func (p *problems) drawTerms(path string, terms []ids.ID) {
	p.addIf(len(terms) > maxDrawTerms, path, "too_many", "at most 20 terms")
	p.termIDs(path, terms)
}

// what gives a key for what the item shows: two items in two versions that show the
// same are the same item.
func (in ItemInput) what() string {
	if in.Draw != nil {
		return fmt.Sprintf("draw %v without %v", termSet(in.Draw.TaxonomyTermIDs), termSet(in.Draw.ExcludeTaxonomyTermIDs))
	}
	return fmt.Sprintf("question %s passage %s", in.QuestionID, in.PassageID)
}

// row makes the stored form, without its place.
func (in ItemInput) row() models.EvaluationItem {
	row := models.EvaluationItem{ID: in.ID, QuestionID: ids.Ref(in.QuestionID), PassageID: ids.Ref(in.PassageID),
		DrawTerms: []ids.ID{}, DrawExclude: []ids.ID{}, Weight: in.Weight}
	if in.Draw != nil {
		row.DrawCount = &in.Draw.Count
		row.DrawTerms, row.DrawExclude = termSet(in.Draw.TaxonomyTermIDs), termSet(in.Draw.ExcludeTaxonomyTermIDs)
	}
	return row
}

func itemOf(row models.EvaluationItem) Item {
	item := Item{ID: row.ID, QuestionVersionID: row.QuestionVersionID, Weight: row.Weight}
	set(&item.QuestionID, row.QuestionID)
	set(&item.PassageID, row.PassageID)
	if row.DrawCount != nil {
		item.Draw = &Draw{Count: *row.DrawCount, TaxonomyTermIDs: termSet(row.DrawTerms), ExcludeTaxonomyTermIDs: termSet(row.DrawExclude)}
	}
	return item
}

// termSet sorts a set of terms by their ids; the result is never nil.
func termSet(terms []ids.ID) []ids.ID {
	sorted := append([]ids.ID{}, terms...)
	slices.SortFunc(sorted, func(a, b ids.ID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(sorted)
}
