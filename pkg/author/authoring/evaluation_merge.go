package authoring

import (
	"context"
	"slices"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// followMergesOfEvaluations puts survivors in the place of merged terms where a new draft
// is about to begin from a published version, which keeps what it named.
func followMergesOfEvaluations(ctx context.Context, tx *db.Tx, edits []*evaluationEdit) error {
	var named []ids.ID
	for _, e := range edits {
		if e.evaluation.DraftID == nil {
			named = append(named, e.terms()...)
		}
	}
	survivors, err := taxonomy.Survivors(ctx, tx, named)
	if err != nil {
		return err
	}
	for _, e := range edits {
		if e.evaluation.DraftID == nil {
			e.replaceTerms(survivors)
		}
	}
	return nil
}

// terms lists the terms of the newest version and of its draws.
func (e evaluationEdit) terms() []ids.ID {
	all := slices.Clone(e.version.TermIDs)
	for _, item := range e.version.items {
		all = slices.Concat(all, item.DrawTerms, item.DrawExclude)
	}
	return all
}

func (e *evaluationEdit) replaceTerms(survivors map[ids.ID]ids.ID) {
	replaced := func(terms []ids.ID) []ids.ID {
		all := make([]ids.ID, 0, len(terms))
		for _, id := range terms {
			all = append(all, survivors[id])
		}
		return termSet(all)
	}
	e.version.TermIDs = replaced(e.version.TermIDs)
	for i, item := range e.version.items {
		e.version.items[i].DrawTerms, e.version.items[i].DrawExclude = replaced(item.DrawTerms), replaced(item.DrawExclude)
	}
}
